//! crate doc
use std::io::{self, Read as R, prelude::*};
pub use crate::a::b;
extern crate serde as s;
mod sub;
/// doc
#[derive(Debug)]
pub struct S<T: Clone> { pub(crate) a: T, b: Vec<u8> }
struct Tup(pub A, B);
pub enum E { A, B(u8), C { x: Foo } }
pub trait Tr: Base + Send { const K: u8; type Out; fn f(&self) -> u8; fn g() where Self: Sized { 1 } }
impl<T> Tr for S<T> where T: X { type Out = u8; fn f(&self) -> u8 { self.a.go(); Self::new(); Self::K } }
impl S<u8> { pub async unsafe fn new(x: &mut Foo, mut y: Option<Bar>, self_: dyn Tr) -> Self {
  let x: Foo = Foo::new();
  let z = S { a: 1, b };
  let q = crate::x::make(1)?;
  x.run::<u8>(z).await;
  println!("{}", x.foo(), io::bar(1));
  let c = |p: Foo| p.go();
  for i in q.iter() { i.x() }
  match x { E::A => {}, Some(v) if v > LIM => v.go(), E::C { x } => {} }
  if let Some(w) = foo() { w.y() }
  x as Bar; helper(CONST, other_fn);
  }
}
const K: u8 = 1; static mut G: Foo = foo(); type Al = Foo<Bar>;
macro_rules! mm { ($x:expr) => { foo($x) } }
#[deprecated]
pub fn dep(a: u8, ...) {}
mod inner { fn x() { super::dep() } #[cfg(test)] mod tests { use super::*; } }
extern "C" { fn cfun(a: i32, ...) -> i32; }
impl<'a> fmt::Display for a::Bar<'a> {}
cfg_net! {
    /// doc
    pub struct A { x: u8 }
}
pin_project! {
 #[derive(X)] pub struct B<T> { #[pin] a: T }
}
impl A { fn f() { "}"; } }
