using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

/// <summary>
/// Prints what Roslyn says of the names in the C# files of a tree, one JSON list a line:
/// [path, line, name, [declared path, line], kind].
///
/// Local variables, parameters, type parameters, namespaces, aliases and names in `using` and in comments are left
/// out. Only declarations of the tree count; of others the path is "&lt;outside&gt;". What needs a library that is not
/// given has no symbol and is left out; of a constructor that the compiler cannot choose for that reason, all that it
/// considers have the kind "Candidate". `new(...)` and `: base(...)` are uses of the type's name.
///
/// Run as `csharp_oracle TREE FOLDERS DEFINED USINGS`, each but the first a list with commas: the files are those of
/// the folders in the tree, DEFINED the names that `#if` asks for, USINGS the namespaces that every file uses.
/// </summary>
static class Oracle
{
    const string Outside = "<outside>";
    static readonly HashSet<SymbolKind> LeftOut = new HashSet<SymbolKind> {
        SymbolKind.Local, SymbolKind.Parameter, SymbolKind.RangeVariable, SymbolKind.TypeParameter,
        SymbolKind.Namespace, SymbolKind.Label, SymbolKind.Alias, SymbolKind.Discard, SymbolKind.DynamicType,
        SymbolKind.ErrorType, SymbolKind.Preprocessing,
    };

    static string[] Split(string list) => list.Split(new[] { ',' }, StringSplitOptions.RemoveEmptyEntries);

    static string Say(object text) => "\"" + text.ToString().Replace("\\", "\\\\").Replace("\"", "\\\"") + "\"";

    static string KindOf(ISymbol symbol, SyntaxNode name)
    {
        for (SyntaxNode one = name; one is NameSyntax; one = one.Parent)
        {
            if (one.Parent is AttributeSyntax) return "Attribute";
        }
        switch (symbol)
        {
            case INamedTypeSymbol type: return type.TypeKind.ToString();
            case IMethodSymbol method when method.IsExtensionMethod: return "Extension";
            case IMethodSymbol method: return method.MethodKind == MethodKind.Constructor ? "Constructor" : "Method";
            case IFieldSymbol field: return field.ContainingType?.TypeKind == TypeKind.Enum ? "EnumMember" : "Field";
            default: return symbol.Kind.ToString();
        }
    }

    static IEnumerable<ISymbol> Declared(ISymbol symbol)
    {
        if (symbol is IMethodSymbol method)
        {
            symbol = method.ReducedFrom ?? method;
            if (method.AssociatedSymbol != null) symbol = method.AssociatedSymbol;
            if (method.MethodKind == MethodKind.Constructor) yield return method.ContainingType.OriginalDefinition;
        }
        symbol = symbol.OriginalDefinition;
        yield return symbol;
        if (symbol is IMethodSymbol part && part.PartialImplementationPart != null) yield return part.PartialImplementationPart;
    }

    /// The constructor that is called, or those of the type if the compiler could not choose, as a library is missing.
    static IEnumerable<(string, SyntaxToken, ISymbol, bool)> Makers(string name, SyntaxToken at, SyntaxNode making, SemanticModel model)
    {
        SymbolInfo found = model.GetSymbolInfo(making);
        if (found.Symbol != null) yield return (name, at, found.Symbol, true);
        else if (found.CandidateSymbols.Length > 0) foreach (ISymbol one in found.CandidateSymbols) yield return (name, at, one, false);
        else if (model.GetTypeInfo(making).Type is INamedTypeSymbol type)
        {
            foreach (ISymbol one in type.InstanceConstructors) yield return (name, at, one, false);
        }
    }

    static SyntaxNode WholeName(SyntaxNode name)
    {
        while (name.Parent is QualifiedNameSyntax whole && whole.Right == name || name.Parent is AliasQualifiedNameSyntax) name = name.Parent;
        return name;
    }

    /// The names used, with what they mean, and whether that is certain.
    static IEnumerable<(string, SyntaxToken, ISymbol, bool)> Uses(SyntaxNode root, SemanticModel model)
    {
        foreach (SyntaxNode made in root.DescendantNodes())
        {
            if (made is ImplicitObjectCreationExpressionSyntax || made is ConstructorInitializerSyntax)
            {
                SymbolInfo found = model.GetSymbolInfo(made);
                ISymbol one = found.Symbol ?? found.CandidateSymbols.FirstOrDefault();
                if (one == null) continue;
                string type = one.ContainingType.Name;
                if (found.Symbol == null) yield return (type, made.GetFirstToken(), one.ContainingType, true);
                foreach (var maker in Makers(type, made.GetFirstToken(), made, model)) yield return maker;
            }
        }
        foreach (SimpleNameSyntax name in root.DescendantNodes().OfType<SimpleNameSyntax>())
        {
            if (name.FirstAncestorOrSelf<UsingDirectiveSyntax>() != null) continue;
            if (name.Parent is BaseNamespaceDeclarationSyntax || name.Parent is NameColonSyntax) continue;
            ISymbol symbol = model.GetSymbolInfo(name).Symbol;
            if (symbol == null || LeftOut.Contains(symbol.Kind) || model.GetAliasInfo(name) != null) continue;
            if (symbol.ContainingType != null && symbol.ContainingType.IsAnonymousType) continue;
            if (symbol.ContainingType != null && symbol.ContainingType.IsTupleType) continue;
            if (name.IsVar || name.Identifier.ValueText == "dynamic") continue;
            string text = name.Identifier.ValueText;
            yield return (text, name.Identifier, symbol, true);
            SyntaxNode making = WholeName(name).Parent;
            if (making is PrimaryConstructorBaseTypeSyntax || making is ObjectCreationExpressionSyntax)
            {
                foreach (var maker in Makers(text, name.Identifier, making, model)) yield return maker;
            }
        }
    }

    static void Main(string[] arguments)
    {
        string root = Path.GetFullPath(arguments[0]).TrimEnd('/') + "/";
        var options = new CSharpParseOptions(
            LanguageVersion.Preview, DocumentationMode.None, SourceCodeKind.Regular, Split(arguments[2]));
        var trees = Split(arguments[1]).SelectMany(one => Directory.GetFiles(root + one, "*.cs", SearchOption.AllDirectories))
            .OrderBy(one => one, StringComparer.Ordinal)
            .Select(one => CSharpSyntaxTree.ParseText(File.ReadAllText(one), options, one)).ToList();
        string usings = string.Concat(Split(arguments[3]).Select(one => "global using " + one + ";"));
        var all = trees.Append(CSharpSyntaxTree.ParseText(usings, options, "usings"));
        var given = ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")).Split(Path.PathSeparator)
            .Where(one => !Path.GetFileName(one).StartsWith("Microsoft.CodeAnalysis"))
            .Select(one => MetadataReference.CreateFromFile(one));
        var compilation = CSharpCompilation.Create("tree", all, given, new CSharpCompilationOptions(
            OutputKind.DynamicallyLinkedLibrary, allowUnsafe: true, nullableContextOptions: NullableContextOptions.Enable));
        using (var output = new StreamWriter(Console.OpenStandardOutput(), new UTF8Encoding(false)))
        {
            foreach (SyntaxTree tree in trees)
            {
                SemanticModel model = compilation.GetSemanticModel(tree);
                foreach (var (name, token, symbol, isCertain) in Uses(tree.GetRoot(), model))
                {
                    foreach (string place in Places(symbol, root))
                    {
                        int line = token.GetLocation().GetLineSpan().StartLinePosition.Line + 1;
                        output.WriteLine("[" + Say(tree.FilePath.Substring(root.Length)) + ", " + line + ", "
                            + Say(name) + ", " + place + ", " + Say(isCertain ? KindOf(symbol, token.Parent) : "Candidate") + "]");
                    }
                }
            }
        }
    }

    static IEnumerable<string> Places(ISymbol symbol, string root)
    {
        var found = Declared(symbol).SelectMany(one => one.Locations).Where(one => one.IsInSource).Distinct().ToList();
        if (found.Count == 0) yield return "[" + Say(Outside) + ", 0]";
        foreach (Location one in found)
        {
            FileLinePositionSpan span = one.GetLineSpan();
            yield return "[" + Say(span.Path.Substring(root.Length)) + ", " + (span.StartLinePosition.Line + 1) + "]";
        }
    }
}
