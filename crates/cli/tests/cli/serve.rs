//! `interlingua serve`.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::mpsc::channel;
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
    let (tell, told) = channel();
    let mut lines = vec![0; 64 * 1024 - 4096];
    std::thread::spawn(move || tell.send(log.read_exact(&mut lines).is_ok()));
    let waited = told.recv_timeout(Duration::from_mins(1));
    let _ = child.kill();
    let _ = child.wait();
    assert_eq!(waited, Ok(true), "as much as a pipe holds was waiting");
}
