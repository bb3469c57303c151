#include <linux/fs.h>
#include "ext4.h"
#define MAX 3
#define F(a, b...) foo(a, b) + a->x(3) + MAX
typedef struct { int z; } anon_t, *anon_p;
typedef struct foo { int a; struct bar *b; int (*fn)(int, char); unsigned c:3; union { int u; }; struct { int n; } named; } foo_t;
typedef int (*cb_t)(void *);
struct list_head;
/* doc */
enum color { RED, GREEN = MAX };
static inline int foo(struct inode *i, const char *fmt, ...) __attribute__((deprecated));
extern int bar(void);
int *g, arr[MAX] = { 1 }, (*fp)(int) = foo;
static const struct file_operations ops = { .open = my_open, .read = seq_read, .x = { a, b } };
static int my_open(struct inode *inode, foo_t f)
{
	struct foo *p = inode->i_private, q;
	int r = bar();
	for (int i = 0; i < MAX; i++) p->fn(i, 'c');
	r = INIT_WORK(&p->work, worker_fn);
	ops.open(inode, NULL); p->a.b[3].c(1); (*fp)(3); (a->b)(2); f.g(p)->h(1);
	f.b = (struct bar *)kmalloc(sizeof(struct foo), GFP_KERNEL);
	goto out;
out:
	return r ?: -EINVAL;
}
int *ptrfn(int (*cb)(int x), char **argv) { return cb(3) + g_table[2].run(argv[0]); }
EXPORT_SYMBOL(my_open);
module_init(foo_init);
DEFINE_MUTEX(lock);
#ifdef X
int a1;
#else
int a2;
#endif
SYSCALL_DEFINE3(open, const char *, name, int, flags, umode_t, mode) { int k; return foo(k); }
struct { int q; } glob = { foo };
int each(void) {
	list_for_each_entry(a, b, c)
		foo(a);
 for_each_x(z) { y(); }
}
