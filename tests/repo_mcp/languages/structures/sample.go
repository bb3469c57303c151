// Package foo is.
package foo

import (
	"fmt"
	m "math/rand"
	. "os"
	_ "embed"
	"gopkg.in/yaml.v3"
	"a.b/go-c/v2"
)

// S doc
type S struct {
	A, b int `json:"a"`
	*Base
	pkg.Other
	F func(x int) error
}
type G[T any, U constraints.Ordered] struct { v T }
type I interface {
	Reader
	Do(ctx context.Context, xs ...string) (int, error)
	~int | string
}
type Alias = S
type E int
const (
	X, Y = iota, 2
	Z E = 3
)
var g, h *S = nil, NewS()
func (s *S) Do(a, b int, c ...string) (n int, err error) {
	x := &Foo{A: 1, B: g.Do}
	y, z := NewFoo(1), pkg.New()
	var w Foo
	var q map[string][]Foo
	x.Run(y)
	s.A.Go()
	z.B().C(1)(2)
	for i, v := range q { go v.Run(); i.x() }
	switch t := w.(type) { case *S: t.Do() }
	f := func(p Foo) { p.Go() }
	defer f(x)
	fmt.Println(X, Z, Generic[int](3))
	a, err := foo()
	return len(x.y), err
}
func (g *G2[T]) M() T { return g.v }
func NewS() *S { return &S{} }
func (Plain) Name() string { return fmt.Sprint(X) }
