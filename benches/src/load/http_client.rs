//! A minimal HTTP/1.1 client for load: one keep-alive connection, responses with length or chunks.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use super::request::LoadRequest;

#[derive(Debug)]
pub struct Connection {
    stream: BufReader<TcpStream>,
    host: SocketAddr,
    /// The server closes the connection after this response.
    must_close: bool,
}

#[derive(Clone, Copy, Debug)]
pub struct ResponseStats {
    pub status: u16,
    /// Time until the first byte of the body.
    pub first_byte: Duration,
    pub bytes: u64,
}

impl Connection {
    pub fn open(at: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect(at)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(Duration::from_mins(1)))?;
        Ok(Self {
            stream: BufReader::with_capacity(64 * 1024, stream),
            host: at,
            must_close: false,
        })
    }

    /// Sends a request and discards the response.
    pub fn send_and_discard(
        &mut self,
        request: &LoadRequest,
        start: Instant,
    ) -> io::Result<ResponseStats> {
        self.send(request)?;
        self.read_response(start, &mut io::sink())
    }

    /// Sends a request and returns the body of the response.
    pub fn send_and_read(&mut self, request: &LoadRequest) -> io::Result<Vec<u8>> {
        self.send(request)?;
        let mut body = Vec::new();
        match self.read_response(Instant::now(), &mut body)?.status {
            200 => Ok(body),
            status => Err(io::Error::other(format!("status {status}"))),
        }
    }

    fn send(&mut self, request: &LoadRequest) -> io::Result<()> {
        if self.must_close {
            *self = Self::open(self.host)?;
        }
        let LoadRequest { path, headers, body } = request;
        let (host, length) = (self.host, body.len());
        let mut bytes = format!(
            "POST {path} HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\n\
             content-length: {length}\r\n{headers}\r\n"
        )
        .into_bytes();
        bytes.extend_from_slice(body);
        self.stream.get_mut().write_all(&bytes)
    }

    fn read_response(
        &mut self,
        start: Instant,
        out: &mut impl io::Write,
    ) -> io::Result<ResponseStats> {
        let mut line = String::new();
        self.read_line(&mut line)?;
        let status = line.split(' ').nth(1).and_then(|status| status.parse().ok());
        let status = status.ok_or_else(|| io::Error::other("no status"))?;
        let (mut length, mut chunked) = (0_u64, false);
        loop {
            self.read_line(&mut line)?;
            let lower = line.to_ascii_lowercase();
            match lower.split_once(':') {
                Some(("content-length", value)) => {
                    length = value.trim().parse().map_err(io::Error::other)?;
                }
                Some(("transfer-encoding", _)) => chunked = true,
                Some(("connection", value)) => self.must_close = value.trim() == "close",
                _ if lower.is_empty() => break,
                _ => {}
            }
        }
        self.stream.fill_buf()?;
        let first_byte = start.elapsed();
        let bytes = if chunked {
            self.copy_chunked(&mut line, out)?
        } else {
            self.copy_exact(length, out)?
        };
        Ok(ResponseStats { status, first_byte, bytes })
    }

    fn copy_chunked(&mut self, line: &mut String, out: &mut impl io::Write) -> io::Result<u64> {
        let mut bytes = 0;
        loop {
            self.read_line(line)?;
            let size = u64::from_str_radix(line, 16).map_err(io::Error::other)?;
            bytes += self.copy_exact(size, out)?;
            self.read_line(line)?;
            if size == 0 {
                return Ok(bytes);
            }
        }
    }

    fn copy_exact(&mut self, length: u64, out: &mut impl io::Write) -> io::Result<u64> {
        io::copy(&mut self.stream.by_ref().take(length), out)
    }

    /// The next line, without its end.
    fn read_line(&mut self, line: &mut String) -> io::Result<()> {
        line.clear();
        if self.stream.read_line(line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        line.truncate(line.trim_end().len());
        Ok(())
    }
}
