package com.foo.bar;
import java.util.List;
import static java.lang.Math.*;
import static org.a.B.assertX;
import com.x.*;
/** doc */
@Deprecated
public abstract class Foo<T extends Comparable<T>> extends Base<T> implements I, b.J {
  private static final int A = 1, B = foo();
  private Repo repo;
  /** d */
  @Override public List<String> m(int a, final String... xs) throws IOException {
    Foo<T> x = new Foo<>(1);
    var y = make();
    x.run(y).go();
    this.a.b.c();
    super.m(1);
    Outer.Inner.stat(A);
    list.forEach(this::m);
    for (Foo z : xs) { z.go(); }
    try (Res r = open()) { r.q(); } catch (IOException e) { e.print(); }
    Object o = new Runnable() { public void run() { foo(); } };
    if (o instanceof Foo f) f.go();
    int[] arr = new int[3];
    Foo.class.getName();
    f = (a, b) -> a.foo();
    com.foo.Bar qq = null; qq.x(); repo.save(this.repo, Const.X);
    return (Bar) q;
  }
  Foo(int a) { this(a, 2); }
  Foo(int a, int b) { super(a); }
  static { init(); }
  enum E implements I { X(1) { void z() {} }, Y; E(int i) {} int f; }
  interface K extends L, M { int C = 3; void foo(); default int bar() { return 1; } }
  @interface Ann { String value() default ""; }
  public record P(int x, String y) implements I { P { check(); } }
}
