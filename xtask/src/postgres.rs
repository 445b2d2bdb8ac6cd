//! `cargo xtask postgres`: the tests of the store, and of gateways that share one, on a PostgreSQL of their
//! own, which is gone afterwards.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Read as _;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::run::{cargo, output, program, run};
use crate::{Outcome, debian};

/// A cluster in a temporary folder. Stopped and removed when this is dropped.
struct Server {
    bin: PathBuf,
    folder: PathBuf,
    /// Whom it runs as; nobody in particular if we are not root, whom PostgreSQL refuses to serve.
    user: Option<&'static str>,
    url: String,
}

pub(crate) fn command(arguments: &[String]) -> Outcome {
    let server = Server::start()?;
    // The whole workspace, so that nothing is built anew that its tests have built.
    run(cargo()
        .args(["test", "--workspace", "--locked", "--test", "suite", "--test", "gateway", "--"])
        .args(["--ignored", "postgres::"])
        .args(arguments)
        .env("INTERLINGUA_TEST_POSTGRES", &server.url)
        .env("INTERLINGUA_TEST_POSTGRES_CERTIFICATE", server.certificate()))
}

impl Server {
    fn start() -> Result<Self, String> {
        if programs().is_none() {
            debian::install(&["postgresql"])?;
        }
        let bin = programs().ok_or("initdb is not where PostgreSQL's packages put it")?;
        let root = output(program("id").arg("-u")).is_ok_and(|id| id.trim() == "0");
        let folder = std::env::temp_dir().join(format!("interlingua-pg-{}", std::process::id()));
        let password = random()?;
        let port = free_port()?;
        let url = format!("postgres://postgres:{password}@127.0.0.1:{port}/postgres");
        let server = Self { bin, folder, user: root.then_some("postgres"), url };
        server.create(&password)?;
        println!("starting PostgreSQL on port {port}, in {}", server.folder.display());
        // It lives for a minute and holds nothing: no disk need hear of it.
        let settings = format!(
            "-c listen_addresses=127.0.0.1 -c port={port} -c unix_socket_directories= \
             -c fsync=off -c max_connections=300 -c ssl=on -c ssl_cert_file={} -c ssl_key_file={}",
            server.certificate().display(),
            server.key().display()
        );
        let log = server.folder.join("log");
        let mut start = server.program("pg_ctl");
        start.args(["start", "--wait", "--silent", "--options", &settings, "--log"]).arg(log);
        run(start.arg("--pgdata").arg(server.data()))?;
        Ok(server)
    }

    fn create(&self, password: &str) -> Outcome {
        let owner = self.user.map_or_else(Vec::new, |user| vec!["--owner", user]);
        run(program("install").args(["-d", "-m", "700"]).args(owner).arg(&self.folder))?;
        let secret = self.folder.join("password");
        crate::run::write(&secret, password)?;
        if let Some(user) = self.user {
            run(program("chown").arg(user).arg(&secret))?;
        }
        run(self
            .program("initdb")
            .args([
                "--no-sync",
                "--no-instructions",
                "--username",
                "postgres",
                "--encoding",
                "UTF8",
            ])
            .args(["--auth", "scram-sha-256", "--pwfile"])
            .arg(secret)
            .arg("--pgdata")
            .arg(self.data())
            .stdout(std::process::Stdio::null()))?;
        // It vouches for itself, and for nobody else.
        let mut certify = self.command(Path::new("openssl"));
        certify.args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]);
        certify.args(["-nodes", "-days", "2", "-subj", "/CN=localhost"]);
        certify.args(["-addext", "subjectAltName=DNS:localhost"]);
        certify.args(["-addext", "basicConstraints=critical,CA:FALSE", "-keyout"]);
        certify.arg(self.key()).arg("-out").arg(self.certificate());
        run(certify.stderr(std::process::Stdio::null()))
    }

    fn certificate(&self) -> PathBuf {
        self.folder.join("certificate.pem")
    }

    fn key(&self) -> PathBuf {
        self.folder.join("key.pem")
    }

    fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    /// One of its programs.
    fn program(&self, name: &str) -> Command {
        self.command(&self.bin.join(name))
    }

    /// A program, as the user that the server belongs to.
    fn command(&self, path: &Path) -> Command {
        let mut command = match self.user {
            Some(user) => {
                let mut command = program("runuser");
                command.args(["-u", user, "--"]).arg(path);
                command
            }
            None => program(path),
        };
        command.current_dir(std::env::temp_dir());
        command
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if self.data().join("postmaster.pid").exists() {
            let mut stop = self.program("pg_ctl");
            stop.args(["stop", "--silent", "--mode", "immediate", "--pgdata"]).arg(self.data());
            if let Err(message) = run(&mut stop) {
                eprintln!("{message}");
            }
        }
        // What is left is in a folder for temporary things.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Where the newest PostgreSQL of this machine has its programs.
fn programs() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").ok().into_iter().flatten().flatten();
    let mut found: Vec<(u32, PathBuf)> = versions
        .filter_map(|version| {
            let number = version.file_name().to_str()?.parse().ok()?;
            Some((number, version.path().join("bin")))
        })
        .collect();
    let paths = std::env::var_os("PATH").unwrap_or_default();
    found.extend(std::env::split_paths(&paths).map(|path| (0, path)));
    found.retain(|(_, bin)| has_all(bin));
    found.into_iter().max_by_key(|(number, _)| *number).map(|(_, bin)| bin)
}

fn has_all(bin: &Path) -> bool {
    ["initdb", "pg_ctl", "postgres"].iter().all(|name| bin.join(name).exists())
}

/// Nobody else on this machine is to speak to it.
fn random() -> Result<String, String> {
    let mut bytes = [0; 16];
    File::open("/dev/urandom")
        .and_then(|mut file| file.read_exact(&mut bytes))
        .map_err(|error| format!("/dev/urandom: {error}"))?;
    Ok(bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    }))
}

fn free_port() -> Result<u16, String> {
    let listener = TcpListener::bind("127.0.0.1:0");
    let address = listener.and_then(|listener| listener.local_addr());
    address.map(|address| address.port()).map_err(|error| format!("no free port: {error}"))
}
