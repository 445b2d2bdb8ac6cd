//! `interlingua serve`.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use crate::command::listening;

#[test]
fn nobody_who_answers_waits_for_whoever_reads_the_log() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut child, addr) = listening(&["serve", "--listen", "127.0.0.1:0"], |command| {
        command.env_clear().env("HOME", folder.path());
    });
    let body = r#"{"model":"sim/echo","messages":[{"role":"user","content":"Hi"}]}"#;
    // Their lines are more than a pipe holds, and nobody reads.
    for number in 0..700 {
        let mut stream = TcpStream::connect(&addr).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a limit");
        write!(
            stream,
            "POST /v1/chat/completions HTTP/1.1\r\nhost: {addr}\r\nconnection: close\r\n\
             content-length: {}\r\n\r\n{body}",
            body.len()
        )
        .expect("it reads");
        let mut reply = String::new();
        stream.read_to_string(&mut reply).expect("it answers");
        assert!(reply.starts_with("HTTP/1.1 200"), "{number}: {reply}");
    }
    let mut log = child.stderr.take().expect("stderr is a pipe");
    let _ = child.kill();
    let _ = child.wait();
    let mut text = String::new();
    log.read_to_string(&mut text).expect("it is text");
    assert!(text.len() > 64 * 1024 - 4096, "{} bytes were waiting", text.len());
}
