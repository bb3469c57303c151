import Foundation
import struct Foo.Bar
@testable import Mod
/// doc
@available(*, deprecated, message: "x")
public final class Foo<T: P>: Base, Proto where T: Q {
  private(set) public var a: Int = 1
  static let shared = Foo()
  var comp: Bar { get { x } set { y = newValue } }
  lazy var z: [Foo] = make()
  public init?(x: Int, _ y: String = "a") { self.a = x; super.init() }
  deinit { go() }
  override open func run<U>(with u: U, rest: Int...) async throws -> Result<U, E> {
    let x = Foo(x: 1)
    var y: Bar = .init()
    x.run(with: 1).go { $0.a }
    guard let q = self.a.b else { return }
    if let k = make(1), k.x { k.y() }
    for i in items { i.go() }
    q?.foo(); r!.x()
    if case .some(let w) = v { w.a() }
    Mod.Foo.stat()
    let (aa, bb) = try await foo(); aa.x()
    list.map { item in item.go() }
    return .success(3)
  }
  class func cf() {}
  subscript(i: Int) -> T { return arr[i] }
  enum K: String, Codable { case a, b(Int), c = "x"; indirect case d(K) }
  typealias X = Y
}
struct S: P { let a: Foo; mutating func m() {} }
protocol P: AnyObject, Q { associatedtype A: B; var p: Int { get }; func f(_ a: Int) -> A }
extension Foo: Sendable where T: Z { func ext() { a.b.c(1) }
 struct N {} }
actor Act { func x() async { await y() } }
func top(_ a: inout Foo, b c: (Int) -> Void) -> some View { c(1) }
let g = 3
func + (l: S, r: S) -> S { S(a: 1) }
extension A.B { fileprivate var q: [Foo] { items } }
