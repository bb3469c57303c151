import com.sun.source.tree.*;
import com.sun.source.util.*;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import java.util.stream.*;
import javax.lang.model.element.*;
import javax.tools.*;

/**
 * Prints what javac says of the names in the Java files of a tree, one JSON list a line:
 * [path, line, name, [declared path, line], kind].
 *
 * Variables of methods, parameters, type parameters, packages, `this`, `super` and names in imports are left
 * out. Only declarations of the tree count; of others the path is "<outside>". What needs a library that is not
 * given has no element and is left out.
 *
 * Run as `java java_oracle.java TREE FOLDER [JAVAC OPTIONS...]`; the files are those of the folder in the tree.
 */
public class java_oracle {
    static final String OUTSIDE = "<outside>";
    static final Set<ElementKind> LEFT_OUT = EnumSet.of(
        ElementKind.LOCAL_VARIABLE, ElementKind.PARAMETER, ElementKind.EXCEPTION_PARAMETER,
        ElementKind.RESOURCE_VARIABLE, ElementKind.BINDING_VARIABLE, ElementKind.TYPE_PARAMETER,
        ElementKind.PACKAGE, ElementKind.MODULE);

    final Path root;
    final Trees trees;
    final SourcePositions positions;
    final PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);

    java_oracle(Path root, Trees trees) {
        this.root = root;
        this.trees = trees;
        this.positions = trees.getSourcePositions();
    }

    String say(CompilationUnitTree unit) {
        return root.relativize(Path.of(unit.getSourceFile().toUri())).toString().replace('\\', '/');
    }

    /** Returns the path and the line of the name of a declaration. */
    String place(Element element) throws Exception {
        TreePath path = trees.getPath(element);
        if (path == null) {
            return "[\"" + OUTSIDE + "\", 0]";
        }
        CompilationUnitTree unit = path.getCompilationUnit();
        Tree tree = path.getLeaf();
        long at = positions.getStartPosition(unit, tree);
        String name = element.getSimpleName().toString();
        List<Tree> before = new ArrayList<>();
        if (tree instanceof MethodTree method) {
            before.add(method.getModifiers());
            before.add(method.getReturnType());
            before.addAll(method.getTypeParameters());
            name = method.getReturnType() == null ? element.getEnclosingElement().getSimpleName().toString() : name;
        } else if (tree instanceof ClassTree type) {
            before.add(type.getModifiers());
        } else if (tree instanceof VariableTree variable && element.getKind() != ElementKind.ENUM_CONSTANT) {
            before.add(variable.getModifiers());
            before.add(variable.getType());
        }
        for (Tree one : before) {
            at = one == null ? at : Math.max(at, positions.getEndPosition(unit, one));
        }
        CharSequence text = unit.getSourceFile().getCharContent(true);
        var found = java.util.regex.Pattern.compile("\\b" + java.util.regex.Pattern.quote(name) + "\\b").matcher(text);
        long line = unit.getLineMap().getLineNumber(found.find((int) at) ? found.start() : at);
        return "[\"" + say(unit) + "\", " + line + "]";
    }

    void print(CompilationUnitTree unit, long at, String name, Element element) {
        if (element == null || at < 0 || LEFT_OUT.contains(element.getKind())
            || element.asType().getKind() == javax.lang.model.type.TypeKind.ERROR
            || name.equals("this") || name.equals("super") || name.equals("class") || name.equals("length")) {
            return;
        }
        try {
            long line = unit.getLineMap().getLineNumber(at);
            out.println("[\"" + say(unit) + "\", " + line + ", \"" + name + "\", " + place(element) + ", \""
                + element.getKind() + "\"]");
        } catch (Exception failure) {
            throw new IllegalStateException(failure);
        }
    }

    void scan(CompilationUnitTree unit) {
        new TreePathScanner<Void, Void>() {
            @Override public Void visitImport(ImportTree node, Void unused) {
                return null;
            }

            @Override public Void visitPackage(PackageTree node, Void unused) {
                return null;
            }

            @Override public Void visitIdentifier(IdentifierTree node, Void unused) {
                long at = positions.getStartPosition(unit, node);
                print(unit, at, node.getName().toString(), trees.getElement(getCurrentPath()));
                return super.visitIdentifier(node, unused);
            }

            @Override public Void visitMemberSelect(MemberSelectTree node, Void unused) {
                long at = positions.getEndPosition(unit, node) - 1;
                print(unit, at, node.getIdentifier().toString(), trees.getElement(getCurrentPath()));
                return super.visitMemberSelect(node, unused);
            }

            @Override public Void visitMemberReference(MemberReferenceTree node, Void unused) {
                long at = positions.getEndPosition(unit, node) - 1;
                if (!node.getName().contentEquals("<init>")) {
                    print(unit, at, node.getName().toString(), trees.getElement(getCurrentPath()));
                }
                return super.visitMemberReference(node, unused);
            }

            @Override public Void visitNewClass(NewClassTree node, Void unused) {
                Element made = trees.getElement(getCurrentPath());
                Tree name = node.getIdentifier();
                name = name instanceof ParameterizedTypeTree generic ? generic.getType() : name;
                if (made != null && trees.getPath(made) != null && node.getClassBody() == null) {
                    String type = made.getEnclosingElement().getSimpleName().toString();
                    print(unit, positions.getEndPosition(unit, name) - 1, type, made);
                }
                return super.visitNewClass(node, unused);
            }
        }.scan(unit, null);
    }

    public static void main(String[] arguments) throws Exception {
        Path root = Path.of(arguments[0]).toRealPath();
        List<Path> files;
        try (Stream<Path> found = Files.walk(root.resolve(arguments[1]))) {
            files = found.filter(one -> one.toString().endsWith(".java")).sorted().toList();
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8);
        List<String> options = new ArrayList<>(List.of("-proc:none", "-nowarn"));
        options.addAll(Arrays.asList(arguments).subList(2, arguments.length));
        JavacTask task = (JavacTask) compiler.getTask(
            null, manager, fault -> { }, options, null, manager.getJavaFileObjectsFromPaths(files));
        java_oracle oracle = new java_oracle(root, Trees.instance(task));
        List<CompilationUnitTree> units = new ArrayList<>();
        task.parse().forEach(units::add);
        task.analyze();
        units.forEach(oracle::scan);
        oracle.out.flush();
    }
}
