//! Pages that a browser shows cannot use a simulator on the loopback.

use crate::client::TestServer;

#[test]
fn foreign_hosts_and_origins_are_rejected() {
    let server = TestServer::start();
    let port = server.addr().port();
    let own = format!("http://localhost:{port}");
    let other_port = format!("origin: http://localhost:{}\r\n", port ^ 1);
    for (headers, status) in [
        (String::new(), 200),
        (format!("host: 127.0.0.1:{port}\r\n"), 200),
        (format!("host: [::1]:{port}\r\n"), 200),
        (format!("origin: {own}\r\n"), 200),
        ("sec-fetch-site: same-origin\r\n".to_owned(), 200),
        ("host: evil.example\r\n".to_owned(), 403),
        (format!("host: 10.0.0.1:{port}\r\n"), 403),
        ("origin: https://evil.example\r\n".to_owned(), 403),
        ("origin: null\r\n".to_owned(), 403),
        (format!("origin: x://localhost:{port}\r\n"), 403),
        (format!("origin: {own}\r\norigin: https://evil.example\r\n"), 403),
        ("sec-fetch-site: cross-site\r\n".to_owned(), 403),
        (other_port, 403),
    ] {
        for (method, path) in [("GET", "/sim/log"), ("DELETE", "/sim/log"), ("GET", "/v1/models")] {
            let reply = server.send_raw(method, path, &headers, b"");
            assert_eq!(reply.status, status, "{method} {path} {headers}: {}", reply.text());
        }
    }
}
