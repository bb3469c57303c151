// Prints what go/types says of the names in the Go files of a module: one JSON list a line.
//
//	["use", path, line, name, [declared path, line], "", kind]
//	["satisfies", type path, line, interface path, line]
//
// Type parameters, the types of receivers, what functions declare, and fields of structs without a name are left
// out. Only declarations of the tree count; of others the path is "<outside>". Packages of other modules are not
// loaded: what they mean is left out. Run as `go run go_oracle.go TREE`.
package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

const outside = "<outside>"

type loader struct {
	fset     *token.FileSet
	root     string
	module   string
	loaded   map[string]*types.Package
	standard types.Importer
	out      *json.Encoder
	packages []*types.Package
}

func (l *loader) Import(path string) (*types.Package, error) {
	if path == l.module || strings.HasPrefix(path, l.module+"/") {
		return l.load(path, filepath.Join(l.root, strings.TrimPrefix(strings.TrimPrefix(path, l.module), "/")))
	}
	first, _, _ := strings.Cut(path, "/")
	if strings.Contains(first, ".") {
		return nil, fmt.Errorf("another module: %s", path)
	}
	return l.standard.Import(path)
}

func (l *loader) place(pos token.Pos) [2]any {
	at := l.fset.Position(pos)
	path, err := filepath.Rel(l.root, at.Filename)
	if !pos.IsValid() || err != nil || strings.HasPrefix(path, "..") {
		return [2]any{outside, 0}
	}
	return [2]any{filepath.ToSlash(path), at.Line}
}

func (l *loader) load(path string, folder string) (*types.Package, error) {
	if found, ok := l.loaded[path]; ok {
		return found, nil
	}
	l.loaded[path] = nil
	entry, err := build.Default.ImportDir(folder, 0)
	if err != nil {
		return nil, err
	}
	own := l.check(path, folder, entry.GoFiles)
	l.loaded[path] = own
	if len(entry.TestGoFiles) > 0 {
		l.check(path, folder, append(append([]string{}, entry.GoFiles...), entry.TestGoFiles...))
	}
	return own, nil
}

func (l *loader) check(path string, folder string, names []string) *types.Package {
	var files []*ast.File
	for _, name := range names {
		file, err := parser.ParseFile(l.fset, filepath.Join(folder, name), nil, 0)
		if err == nil {
			files = append(files, file)
		}
	}
	info := &types.Info{
		Uses:       map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{},
	}
	config := types.Config{Importer: l, Error: func(error) {}, FakeImportC: true}
	own, _ := config.Check(path, l.fset, files, info)
	receivers := map[*ast.Ident]bool{}
	nameless := map[token.Pos]bool{} // fields of structs without a name
	for _, file := range files {
		for _, one := range file.Decls {
			if function, ok := one.(*ast.FuncDecl); ok && function.Recv != nil {
				ast.Inspect(function.Recv, func(node ast.Node) bool {
					if name, ok := node.(*ast.Ident); ok {
						receivers[name] = true
					}
					return true
				})
			}
		}
	}
	for _, file := range files {
		named := map[ast.Node]bool{}
		ast.Inspect(file, func(node ast.Node) bool {
			switch one := node.(type) {
			case *ast.TypeSpec:
				named[one.Type] = true
			case *ast.StructType:
				for _, field := range one.Fields.List {
					for _, name := range field.Names {
						nameless[name.Pos()] = !named[one]
					}
				}
			}
			return true
		})
	}
	for name, object := range info.Uses {
		at := l.place(name.Pos())
		if _, ok := object.Type().(*types.TypeParam); ok || receivers[name] {
			continue
		}
		kind := fmt.Sprintf("%T", object)[len("*types."):]
		if variable, ok := object.(*types.Var); ok && variable.IsField() {
			kind = "Field"
		}
		if object.Parent() != nil && object.Parent() != own.Scope() && object.Pkg() == own || nameless[object.Pos()] {
			kind = "Local"
		}
		if function, ok := object.(*types.Func); ok && function.Type().(*types.Signature).Recv() != nil {
			kind = "Method"
		}
		switch object.(type) {
		case *types.PkgName, *types.Builtin, *types.Nil, *types.Label:
			continue
		}
		if at[0] != outside && object.Pos().IsValid() && kind != "Local" {
			l.out.Encode([]any{"use", at[0], at[1], name.Name, l.place(object.Pos()), "", kind})
		}
	}
	l.packages = append(l.packages, own)
	return own
}

func (l *loader) satisfied() {
	var named []*types.Named
	for _, one := range l.packages {
		for _, name := range one.Scope().Names() {
			if object, ok := one.Scope().Lookup(name).(*types.TypeName); ok && !object.IsAlias() {
				if found, ok := object.Type().(*types.Named); ok {
					named = append(named, found)
				}
			}
		}
	}
	for _, wanted := range named {
		shape, ok := wanted.Underlying().(*types.Interface)
		if !ok || shape.NumMethods() == 0 || wanted.TypeParams().Len() > 0 {
			continue
		}
		for _, one := range named {
			if types.IsInterface(one) || one.TypeParams().Len() > 0 {
				continue
			}
			if types.Implements(one, shape) || types.Implements(types.NewPointer(one), shape) {
				a, b := l.place(one.Obj().Pos()), l.place(wanted.Obj().Pos())
				l.out.Encode([]any{"satisfies", a[0], a[1], b[0], b[1]})
			}
		}
	}
}

func main() {
	root, _ := filepath.Abs(os.Args[1])
	text, _ := os.ReadFile(filepath.Join(root, "go.mod"))
	module := ""
	for _, line := range strings.Split(string(text), "\n") {
		if strings.HasPrefix(line, "module ") {
			module = strings.TrimSpace(strings.TrimPrefix(line, "module "))
		}
	}
	fset := token.NewFileSet()
	l := &loader{fset: fset, root: root, module: module, loaded: map[string]*types.Package{}, out: json.NewEncoder(os.Stdout)}
	l.standard = importer.ForCompiler(fset, "source", nil)
	folders := map[string]bool{}
	filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".go") && !strings.Contains(path, "/testdata/") && !strings.Contains(path, "/vendor/") {
			folders[filepath.Dir(path)] = true
		}
		return nil
	})
	var ordered []string
	for one := range folders {
		ordered = append(ordered, one)
	}
	sort.Strings(ordered)
	for _, folder := range ordered {
		within, _ := filepath.Rel(root, folder)
		path := module
		if within != "." {
			path += "/" + filepath.ToSlash(within)
		}
		l.load(path, folder)
	}
	l.satisfied()
}
