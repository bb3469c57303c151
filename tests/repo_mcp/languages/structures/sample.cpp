#include "a/b.hpp"
namespace a::b { namespace { int x; }
/// doc
template <typename T, int N = 3>
class [[deprecated]] Foo final : public Base<T>, private virtual ns::Other {
public:
  Foo(int a) : m_(a), Base<T>(1) {}
  explicit Foo();
  virtual ~Foo() = default;
  virtual int run(const std::string& s, int n = 1) const = 0;
  int over() override;
  static Foo make();
  template <class U> void tm(U&& u) { u.go(); }
  bool operator==(const Foo& o) const;
  operator bool() const;
  friend class Bar;
  friend std::ostream& operator<<(std::ostream&, const Foo&);
private:
  int m_, *p_; std::vector<Foo> v_{};
  enum class K : int { A, B };
  struct In { int z; };
  using X = Y<int>; typedef int Z;
  using Base::foo;
};
}
using namespace std;
using std::vector;
template <typename T> int Foo<T>::run(const T& s, int n) const { return n; }
a::b::Foo::Foo(int a) : m_(a) {}
Bar::~Bar() {}
bool Foo::operator==(const Foo& o) const { return m_ == o.m_; }
void f(Foo& r, Bar* b, auto z) {
  Foo x(1); Foo y{2}; auto q = Foo(3); auto* w = new Foo(3); auto u = std::make_unique<Foo>(1);
  x.run("s"); b->go(); a::b::stat(1); this->m(); Foo::make().run(); w->go(); u->go(); q.z();
  for (auto& e : x.items()) e.go();
  auto l = [&](int k) { return k + x.m(); };
  static_cast<Foo*>(b)->run(); std::sort<int>(x, y);
  std::vector<Foo> vec; vec[0].run();
  try {} catch (const Err& e) { e.what(); }
  throw std::runtime_error("x");
}
template<> struct hash<Foo> { };
extern "C" { int cfun(int); }
constexpr int K = 3;
static auto h() -> int { return ns::Val; }
