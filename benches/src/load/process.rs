//! A child process, with its CPU time and memory.

use std::fs;
use std::io::{self, BufRead as _, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

/// A child process that is killed on drop.
#[derive(Debug)]
pub struct Process {
    child: Child,
}

impl Process {
    /// Starts a program that prints its address on its first line.
    pub fn spawn_and_read_address(command: &mut Command) -> io::Result<(Self, SocketAddr)> {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let out = child.stdout.take().ok_or_else(|| io::Error::other("no output"))?;
        let process = Self { child };
        let mut line = String::new();
        BufReader::new(out).read_line(&mut line)?;
        let addr = line.trim().trim_start_matches("http://").parse().map_err(io::Error::other)?;
        Ok((process, addr))
    }

    /// Starts a program that listens at a known address, and waits until it does.
    pub fn spawn_and_wait(command: &mut Command, addr: SocketAddr) -> io::Result<Self> {
        let child = command.stdout(Stdio::null()).spawn()?;
        let process = Self { child };
        for _ in 0..100 {
            if std::net::TcpStream::connect(addr).is_ok() {
                return Ok(process);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Err(io::Error::other(format!("no server listens at {addr}")))
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends SIGTERM and waits for the exit.
    pub fn terminate(mut self) -> io::Result<ExitStatus> {
        send_sigterm(&self.child)?;
        self.child.wait()
    }

    /// CPU time of the process and its children.
    pub fn cpu_time(&self) -> Duration {
        let process = cpu_time_of(self.id());
        children(self.id()).into_iter().map(cpu_time_of).sum::<Duration>() + process
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        for child in children(self.id()) {
            let _ = Command::new("kill").arg(child.to_string()).status();
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(unix)]
fn send_sigterm(child: &Child) -> io::Result<()> {
    use rustix::process::{Pid, Signal, kill_process};
    Ok(kill_process(Pid::from_child(child), Signal::TERM)?)
}

#[cfg(not(unix))]
fn send_sigterm(_: &Child) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

fn cpu_time_of(id: u32) -> Duration {
    let tasks = fs::read_dir(format!("/proc/{id}/task")).into_iter().flatten().flatten();
    let nanos = tasks.filter_map(|task| {
        let stat = fs::read_to_string(task.path().join("schedstat")).ok()?;
        stat.split(' ').next()?.parse::<u64>().ok()
    });
    Duration::from_nanos(nanos.sum())
}

fn children(id: u32) -> Vec<u32> {
    let pids = fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap_or_default();
    pids.split_whitespace().filter_map(|pid| pid.parse().ok()).collect()
}

/// Resident memory in megabytes: now, and at its peak.
pub fn resident_megabytes(id: u32) -> (f64, f64) {
    (status_megabytes(id, "VmRSS:"), status_megabytes(id, "VmHWM:"))
}

/// Anonymous resident memory in megabytes: without mapped files such as the program.
pub fn anonymous_megabytes(id: u32) -> f64 {
    status_megabytes(id, "RssAnon:")
}

fn status_megabytes(id: u32, name: &str) -> f64 {
    let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with(name));
    let kilobytes = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<f64>().ok());
    kilobytes.unwrap_or_default() / 1024.0
}
