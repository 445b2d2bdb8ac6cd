//! What callgrind wrote is read, and becomes an order.

use interlingua_benches::callgrind::{Ran, order};

#[test]
fn who_works_most_comes_first_and_whom_it_calls_after_it() {
    let mut start = Ran::read(START, "/bin/gateway");
    assert_eq!(
        order(&start, &Ran::read(WORK, "/bin/gateway")),
        "begin\nshared\nserve\nwrite\nread\n"
    );
    start.add(Ran::read(WORK, "/bin/gateway"));
    let none = Ran::default();
    assert_eq!(order(&start, &none), "serve\nwrite\nshared\nread\nbegin\n");
}

const START: &str = "\
ob=(1) /bin/gateway
fn=(1) begin
1 5
cfn=(2) shared
calls=1 0
1 7

fn=(2)
1 7
";

/// Numbers that mean something else than before, a library, a function that calls itself, and one without a
/// name.
const WORK: &str = "\
ob=(2) /bin/gateway
fn=(1) serve
+1 10
cob=(3) /lib/libc.so
cfn=(7) memcpy
calls=2 0
* 50
cfn=(2) read
calls=1 0
* 20
cfn=(3) write
calls=1 0
* 90

fn=(4) read'2
1 2

fn=(2)
1 20

fn=(3)
1 50
cfn=(5) shared
calls=1 0
1 40

fn=(5)
1 40

fn=(8) 0x0000000000001100
1 9

ob=(3)
fn=(7)
1 50
cfn=(6) elsewhere
calls=1 0
1 3
";
