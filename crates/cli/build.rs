//! Functions that run together lie together, where the linker can do that: the program touches less memory
//! when it starts, and less of the processor's caches for every request. `cargo xtask order` writes which.

use std::path::Path;
use std::process::{Command, Stdio};
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed={ORDER}");
    println!("cargo::rerun-if-env-changed=RUSTC_LINKER");
    let said = |name| env::var(name).unwrap_or_default();
    let is_linux = said("CARGO_CFG_TARGET_OS") == "linux" && said("TARGET") == said("HOST");
    if said("PROFILE") != "release" || !is_linux {
        return;
    }
    let order = Path::new(&said("CARGO_MANIFEST_DIR")).join(ORDER);
    let arguments = [
        format!("-Wl,--symbol-ordering-file={}", order.display()),
        // What is no longer there is no loss.
        "-Wl,--no-warn-symbol-ordering".to_owned(),
    ];
    if links(&arguments, Path::new(&said("OUT_DIR"))).unwrap_or(false) {
        for argument in arguments {
            println!("cargo::rustc-link-arg-bins={argument}");
        }
    }
}

/// Whether the linker of this build takes these arguments: not every one does.
fn links(arguments: &[String], folder: &Path) -> std::io::Result<bool> {
    let source = folder.join("probe.rs");
    fs::write(&source, "fn main() {}")?;
    let mut rustc = Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    rustc.args(flags.split('\x1f').filter(|flag| !flag.is_empty()));
    if let Ok(linker) = env::var("RUSTC_LINKER") {
        rustc.arg(format!("-Clinker={linker}"));
    }
    rustc.args(arguments.iter().map(|argument| format!("-Clink-arg={argument}")));
    rustc.arg(source).arg("-o").arg(folder.join("probe"));
    Ok(rustc.stdout(Stdio::null()).stderr(Stdio::null()).status()?.success())
}

const ORDER: &str = "order.txt";
