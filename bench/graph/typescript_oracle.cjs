// What the TypeScript compiler says that every name of a tree means: one JSON line for each name.
//
//   node typescript_oracle.cjs ROOT COMPILER_DIR > answers.jsonl
//   node typescript_oracle.cjs ROOT COMPILER_DIR --shapes > shapes.jsonl      # which class satisfies which interface
//
// {"path", "line", "name", "call": bool, "targets": [[path, line, name, kind]], "outside": bool}
// The key of an object means the member of the type that is expected there, and so does the name in a pattern;
// a shorthand `{ name }` means that member or the value. {"path", "line", "name", "unknown": true} says that the
// compiler knows nothing of a name on the line, whatever it says of another of that name. Left out: other names
// where they are declared, the names of HTML's own elements, and the closing tags of elements.
"use strict";
const fs = require("fs");
const path = require("path");
const root = fs.realpathSync(process.argv[2]);
const ts = require(path.join(process.argv[3], "node_modules", "typescript"));

const SKIPPED = new Set(["node_modules", ".git", "dist", "build", "coverage", ".next"]);
const files = [];
const packages = {};

function visit(folder) {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const full = path.join(folder, entry.name);
    if (entry.isDirectory() && !SKIPPED.has(entry.name)) visit(full);
    else if (/\.(ts|tsx|mts|cts|js|jsx|mjs|cjs)$/.test(entry.name)) files.push(full);
    else if (entry.name === "package.json" && folder !== root) {
      try {
        const name = JSON.parse(fs.readFileSync(full, "utf8")).name;
        if (name) {
          const index = ["src/index.ts", "src/index.tsx", "index.ts", "index.tsx"].find((one) => fs.existsSync(path.join(folder, one)));
          if (index) packages[name] = [path.join(folder, index)];
          packages[name + "/*"] = ["src/*", "*", "src/*/index.ts"].map((one) => path.join(folder, one));
        }
      } catch (error) { /* not ours to say */ }
    }
  }
}
visit(root);

let options = {};
for (const name of ["tsconfig.json", "tsconfig.base.json"]) {
  const config = path.join(root, name);
  if (fs.existsSync(config)) {
    options = ts.parseJsonConfigFileContent(ts.readConfigFile(config, ts.sys.readFile).config || {}, ts.sys, root).options;
    break;
  }
}
const base = options.baseUrl || root;
const paths = {};
for (const [key, value] of Object.entries(options.paths || {})) paths[key] = value.map((one) => path.resolve(options.pathsBasePath || base, one));
Object.assign(options, {
  allowJs: true, checkJs: false, noEmit: true, skipLibCheck: true, types: [], jsx: ts.JsxEmit.Preserve,
  moduleResolution: ts.ModuleResolutionKind.Bundler, module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ESNext,
  paths: { ...packages, ...paths }, incremental: false, composite: false, rootDir: undefined, allowImportingTsExtensions: true,
});
delete options.lib;
const program = ts.createProgram(files, options);
const checker = program.getTypeChecker();

const DECLARED = new Set(["FunctionDeclaration", "ClassDeclaration", "ClassExpression", "InterfaceDeclaration", "TypeAliasDeclaration",
  "EnumDeclaration", "EnumMember", "MethodDeclaration", "MethodSignature", "PropertyDeclaration", "PropertySignature", "GetAccessor",
  "SetAccessor", "ModuleDeclaration", "SourceFile", "Constructor"]);

function describe(node) {
  const kind = ts.SyntaxKind[node.kind];
  const file = node.getSourceFile();
  const name = ts.getNameOfDeclaration(node) || node;
  const where = path.relative(root, file.fileName);
  const line = kind === "SourceFile" ? 1 : file.getLineAndCharacterOfPosition(name.getStart(file)).line + 1;
  let said = kind;
  if (ts.isBinaryExpression(node) && node.left.getText(file) === "module.exports") return describe(file); // the module
  if (kind === "VariableDeclaration" || kind === "BindingElement") {
    let around = node.parent;
    while (around && !ts.isFunctionLike(around) && !ts.isBlock(around) && !ts.isSourceFile(around) && !ts.isModuleBlock(around)) around = around.parent;
    const local = around && !ts.isSourceFile(around) && !ts.isModuleBlock(around);
    const value = node.initializer && (ts.isArrowFunction(node.initializer) || ts.isFunctionExpression(node.initializer) || ts.isClassExpression(node.initializer));
    said = local && !value ? "Local" : "Variable";
  } else if (kind === "PropertySignature" || kind === "MethodSignature") {
    let around = node.parent;
    while (around && (ts.isTypeLiteralNode(around) || ts.isPropertySignature(around) || ts.isIntersectionTypeNode(around) || ts.isParenthesizedTypeNode(around))) around = around.parent;
    said = around && (ts.isInterfaceDeclaration(around) || ts.isTypeAliasDeclaration(around)) ? kind : "Anonymous";
  } else if (!DECLARED.has(kind)) said = "Other:" + kind;
  return [where, line, ts.isSourceFile(node) ? path.basename(file.fileName) : name.getText(file), said];
}

function find(node) {
  let symbol = ts.isShorthandPropertyAssignment(node.parent)
    ? checker.getShorthandAssignmentValueSymbol(node.parent) : checker.getSymbolAtLocation(node);
  for (let hops = 0; symbol && symbol.flags & ts.SymbolFlags.Alias && hops < 30; hops++) {
    const next = checker.getAliasedSymbol(symbol);
    if (!next || next === symbol || next.escapedName === "unknown") return undefined;
    symbol = next;
  }
  return symbol;
}

function isDeclared(node) {
  const parent = node.parent;
  if (ts.isImportSpecifier(parent) || ts.isExportSpecifier(parent) || ts.isImportClause(parent) || ts.isNamespaceImport(parent)) return false;
  if (ts.isShorthandPropertyAssignment(parent)) return false;
  if (ts.isJsxClosingElement(parent) || ts.isJsxClosingElement(parent.parent) || (ts.isJsxOpeningLikeElement(parent) && /^[a-z]/.test(node.text))) return true;
  return parent.name === node && ts.getNameOfDeclaration(parent) === node && !ts.isPropertyAccessExpression(parent) && !ts.isQualifiedName(parent);
}

function isCallee(node) {
  let at = node;
  if (ts.isPropertyAccessExpression(at.parent) && at.parent.name === at) at = at.parent;
  const parent = at.parent;
  return (ts.isCallExpression(parent) || ts.isNewExpression(parent)) ? parent.expression === at
    : ts.isJsxOpeningLikeElement(parent) ? parent.tagName === at : false;
}

// Whether a value is given to a call of something that the compiler knows nothing of.
function isOfUnknownCall(value) {
  let around = value.parent;
  while (around && !ts.isCallExpression(around) && !ts.isNewExpression(around) && !ts.isStatement(around)) around = around.parent;
  return around && !ts.isStatement(around) && (checker.getTypeAtLocation(around.expression).flags & ts.TypeFlags.Any) !== 0;
}

// The members that the key of an object, or the name in a pattern, takes or gives by the expected type.
function findKeyed(node) {
  const parent = node.parent;
  let type;
  if ((ts.isPropertyAssignment(parent) || ts.isShorthandPropertyAssignment(parent)) && parent.name === node) type = checker.getContextualType(parent.parent);
  else if (ts.isBindingElement(parent) && ts.isObjectBindingPattern(parent.parent) && !parent.dotDotDotToken && (parent.propertyName || parent.name) === node)
    type = checker.getTypeAtLocation(parent.parent);
  if (!type) return isOfUnknownCall(parent.parent) ? undefined : [];
  if (type.flags & ts.TypeFlags.Any) return undefined; // of a package that is not installed
  const found = [];
  for (const one of type.isUnion() ? type.types : [type]) {
    let symbol = checker.getPropertyOfType(one, node.text);
    if (symbol && symbol.flags & ts.SymbolFlags.Alias) symbol = checker.getAliasedSymbol(symbol); // a member of a module
    for (const declaration of (symbol && symbol.declarations) || []) {
      // A member that the object itself gives a type from: nothing that is declared.
      if (declaration !== parent && !found.includes(declaration)) found.push(declaration);
    }
  }
  // A name in a pattern that only the pattern itself gives a type: of a package that is not installed.
  return !found.length && ts.isBindingElement(parent) ? undefined : found;
}

// What the name in `{ name }` means: the member is that value, and either may be named.
function findShorthand(declaration) {
  if (!ts.isShorthandPropertyAssignment(declaration)) return [];
  let symbol = checker.getShorthandAssignmentValueSymbol(declaration);
  if (symbol && symbol.flags & ts.SymbolFlags.Alias) symbol = checker.getAliasedSymbol(symbol);
  return (symbol && symbol.declarations) || [];
}

// What else a declaration means. The compiler names the module for `module.exports = function run() {}`, and a
// parameter where the body declares a function of that name, which is what the name then means.
function findMeant(declaration) {
  if (ts.isBinaryExpression(declaration) && declaration.left.getText() === "module.exports" && ts.isFunctionExpression(declaration.right)) return [declaration.right];
  const body = ts.isParameter(declaration) && declaration.parent.body;
  if (!body || !body.statements || !ts.isIdentifier(declaration.name)) return [];
  return body.statements.filter((one) => ts.isFunctionDeclaration(one) && one.name && one.name.text === declaration.name.text);
}

// {"class": [path, line, name], "interface": [path, line, name], "methods": n, "generic": bool}: the class has all members
// that the interface requires, of which n may be called, and does not name it; with "generic", types given to either decide.
function printShapes() {
  const classes = [], interfaces = [], out = [];
  for (const file of program.getSourceFiles()) {
    const where = path.relative(root, file.fileName);
    if (where.startsWith("..") || where.includes("node_modules")) continue;
    const walk = (node) => {
      if (ts.isClassLike(node) && node.name) classes.push(node);
      else if (ts.isInterfaceDeclaration(node) || (ts.isTypeAliasDeclaration(node) && ts.isTypeLiteralNode(node.type))) interfaces.push(node);
      ts.forEachChild(node, walk);
    };
    walk(file);
  }
  const typeOf = (node) => checker.getDeclaredTypeOfSymbol(checker.getSymbolAtLocation(node.name));
  const isGeneric = (node) => Boolean(node.typeParameters && node.typeParameters.length);
  const place = (node) => describe(node).slice(0, 3);
  const listNamed = (type, found = new Set()) => { // what a type names as its bases, itself among them
    if (!type.symbol || found.has(type.symbol)) return found;
    found.add(type.symbol);
    for (const one of type.symbol.declarations || [])
      for (const clause of one.heritageClauses || []) for (const base of clause.types) listNamed(checker.getTypeAtLocation(base), found);
    return found;
  };
  const known = classes.map((node) => {
    const type = typeOf(node);
    return { node, type, names: new Set(checker.getPropertiesOfType(type).map((one) => one.escapedName)), named: listNamed(type) };
  });
  for (const node of interfaces) {
    const type = typeOf(node);
    const required = checker.getPropertiesOfType(type).filter((one) => !(one.flags & ts.SymbolFlags.Optional));
    const methods = required.filter((one) => checker.getTypeOfSymbol(one).getCallSignatures().length).length;
    if (!methods) continue;
    const may = known.filter((one) => required.every((member) => one.names.has(member.escapedName)) && !one.named.has(type.symbol));
    for (const one of may) {
      const satisfies = checker.isTypeAssignableTo(one.type, type);
      const generic = !satisfies && (isGeneric(node) || isGeneric(one.node));
      if (satisfies || generic) out.push(JSON.stringify({ class: place(one.node), interface: place(node), methods, generic }));
    }
  }
  fs.writeSync(1, out.join("\n") + "\n");
}

if (process.argv[4] === "--shapes") {
  printShapes();
  process.exit(0);
}

const out = [];
for (const file of program.getSourceFiles()) {
  const where = path.relative(root, file.fileName);
  if (where.startsWith("..") || where.includes("node_modules")) continue;
  const walk = (node) => {
    const known = ts.isIdentifier(node) ? findKeyed(node) : [];
    const keyed = known || [];
    if (!known) {
      const line = file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1;
      out.push(JSON.stringify({ path: where, line, name: node.text, unknown: true }));
    }
    if ((ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) && (keyed.length || !isDeclared(node)) && !(node.flags & ts.NodeFlags.JSDoc)) {
      const symbol = isDeclared(node) ? undefined : find(node);
      const declarations = [...((symbol && symbol.declarations) || []), ...keyed];
      const held = declarations.flatMap(findShorthand);
      if (declarations.length) {
        const targets = [];
        let outside = false;
        for (const one of declarations) {
          const at = path.relative(root, one.getSourceFile().fileName);
          if (at.startsWith("..") || at.includes("node_modules")) outside = true;
          else targets.push(describe(one));
        }
        for (const one of [...held, ...declarations.flatMap(findMeant)]) {
          const [path_, line_, name_] = describe(one);
          targets.push([path_, line_, name_, "Held"]);
        }
        const line = file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1;
        out.push(JSON.stringify({ path: where, line, name: node.text, call: isCallee(node), targets, outside }));
      } else {
        const line = file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1;
        out.push(JSON.stringify({ path: where, line, name: node.text, unknown: true }));
      }
    }
    ts.forEachChild(node, walk);
  };
  walk(file);
}
fs.writeSync(1, out.join("\n") + "\n");
