"""Everything in deploy/ is accepted by its consumer, and starts, answers and stops."""

import json
import os
import pathlib
import re
import shlex
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request

import kubernetes_validate
import pytest
import yaml

BIN = os.environ["INTERLINGUA_BIN"]
ROOT = pathlib.Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
UNIT = (DEPLOY / "systemd/interlingua.service").read_text()
MANIFESTS = list(yaml.safe_load_all((DEPLOY / "kubernetes/interlingua.yaml").read_text()))
CONTAINERFILE = (DEPLOY / "container/Containerfile").read_text()
SECRETS = {
    "GATEWAY_KEY": "k" * 64,
    "STORE_KEY": "s" * 44,
    "ANTHROPIC_API_KEY": "sk-ant",
    "OPENAI_API_KEY": "sk-oai",
}


def manifest(kind):
    return next(one for one in MANIFESTS if one["kind"] == kind)


def container():
    [one] = manifest("Deployment")["spec"]["template"]["spec"]["containers"]
    return one


def of_unit(key):
    return [line.split("=", 1)[1] for line in UNIT.splitlines() if line.startswith(f"{key}=")]


class Started:
    """The command, with the arguments of a deployment, on a free port."""

    def __init__(self, arguments, config, environment, address="127.0.0.1"):
        arguments = [str(config) if one.endswith(".toml") else one for one in arguments]
        self.process = subprocess.Popen(
            [BIN, *arguments, "--listen", f"{address}:0"],
            env={"PATH": os.environ["PATH"], **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        line = self.process.stdout.readline()
        self.port = int(re.search(r":(\d+)", line).group(1))

    def ask(self, path, host="127.0.0.1", body=None, key=None, named=None):
        request = urllib.request.Request(f"http://{host}:{self.port}{path}", data=body)
        if named:
            request.add_header("host", named)
        if key:
            request.add_header("authorization", f"Bearer {key}")
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def stop(self, within):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=within)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def check(config, environment):
    done = subprocess.run(
        [BIN, "config", "check", config], env=environment, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


def other_address():
    """An address of this machine that no configuration names, as used by a pod's probe."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            # A machine without a network has only the loopback interface.
            return "127.0.0.2"
        return probe.getsockname()[0]


def test_systemd_accepts_the_unit(tmp_path):
    unit = tmp_path / "interlingua.service"
    unit.write_text(UNIT.replace("/usr/local/bin/interlingua", BIN))
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", unit], capture_output=True, text=True, check=False
    )
    messages = [line for line in done.stderr.splitlines() if "interlingua" in line]
    assert done.returncode == 0 and not messages, done.stderr


def test_the_unit_is_sandboxed(tmp_path):
    unit = tmp_path / "interlingua.service"
    unit.write_text(UNIT)
    done = subprocess.run(
        ["systemd-analyze", "security", "--offline=yes", "--threshold=15", "--no-pager", unit],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_what_the_unit_starts_answers_reloads_and_stops(tmp_path):
    [start] = of_unit("ExecStart")
    program, *arguments = shlex.split(start)
    assert program == "/usr/local/bin/interlingua"
    config = DEPLOY / "systemd/interlingua.toml"
    environment = dict(line.split("=", 1) for line in of_unit("Environment"))
    assert environment == {"XDG_DATA_HOME": "/var/lib"}
    environment = {"XDG_DATA_HOME": str(tmp_path), "ANTHROPIC_API_KEY": "sk-ant"}
    assert check(config, environment)[0] == 0
    with Started(arguments, config, environment) as gateway:
        assert gateway.ask("/readyz")[0] == 200
        gateway.process.send_signal(signal.SIGHUP)
        body = json.dumps({"model": "sim/echo", "messages": [{"role": "user", "content": "hi"}]})
        assert gateway.ask("/v1/chat/completions", body=body.encode())[0] == 200
        assert gateway.stop(within=int(of_unit("TimeoutStopSec")[0])) == 0
    [state] = of_unit("StateDirectory")
    assert (tmp_path / state / "interlingua.db").exists()


@pytest.mark.parametrize("one", MANIFESTS, ids=lambda one: one["kind"])
def test_kubernetes_accepts_the_manifest(one):
    kubernetes_validate.validate(one, kubernetes_validate.latest_version(), strict=True)


def test_the_manifests_name_each_other():
    pod = manifest("Deployment")["spec"]["template"]
    labels = pod["metadata"]["labels"].items()
    for selector in [
        manifest("Deployment")["spec"]["selector"]["matchLabels"],
        manifest("Service")["spec"]["selector"],
        manifest("PodDisruptionBudget")["spec"]["selector"]["matchLabels"],
    ]:
        assert selector.items() <= labels
    [volume] = pod["spec"]["volumes"]
    assert volume["configMap"]["name"] == manifest("ConfigMap")["metadata"]["name"]
    [mount] = container()["volumeMounts"]
    path = pathlib.PurePath(container()["args"][-1])
    assert str(path.parent) == mount["mountPath"] and path.name in manifest("ConfigMap")["data"]
    assert manifest("Service")["spec"]["ports"][0]["targetPort"] == container()["ports"][0]["name"]
    listen = re.search(r'listen = "0\.0\.0\.0:(\d+)"', manifest("ConfigMap")["data"][path.name])
    assert int(listen.group(1)) == container()["ports"][0]["containerPort"]


def test_the_configuration_of_the_pods_is_valid_and_missing_secrets_are_named(tmp_path):
    config = tmp_path / "interlingua.toml"
    config.write_text(manifest("ConfigMap")["data"]["interlingua.toml"])
    environment = {**SECRETS, "STORE_URL": "postgres://interlingua:secret@postgres/interlingua"}
    assert check(config, environment)[0] == 0
    for name in ["GATEWAY_KEY", "STORE_URL", "STORE_KEY"]:
        code, output = check(config, {key: environment[key] for key in environment if key != name})
        assert code == 1 and name in output


def test_two_pods_share_state_answer_probes_and_drain(tmp_path):
    config = tmp_path / "interlingua.toml"
    config.write_text(manifest("ConfigMap")["data"]["interlingua.toml"])
    environment = {**SECRETS, "STORE_URL": f"sqlite:{tmp_path}/store.db"}
    arguments, address, key = container()["args"], other_address(), SECRETS["GATEWAY_KEY"]
    start = lambda: Started(arguments, config, environment, address="0.0.0.0")
    with start() as one, start() as other:
        for gateway in [one, other]:
            for name in ["startupProbe", "readinessProbe", "livenessProbe"]:
                # Like the probe of the node: to the address of the pod, without a key.
                assert gateway.ask(container()[name]["httpGet"]["path"], host=address)[0] == 200
            service = f"{manifest('Service')['metadata']['name']}:{gateway.port}"
            assert gateway.ask("/v1/models", named=service, key=key)[0] == 200
            assert gateway.ask("/v1/models", named=service)[0] == 401
            assert gateway.ask("/v1/models", named="elsewhere", key=key)[0] in (400, 403, 421)
        body = json.dumps({"title": "Harbour"}).encode()
        status, session = one.ask("/api/sessions", body=body, key=key)
        assert status in (200, 201), session
        id = json.loads(session)["id"]
        assert other.ask(f"/api/sessions/{id}", key=key)[0] == 200
        grace = manifest("Deployment")["spec"]["template"]["spec"]["terminationGracePeriodSeconds"]
        assert one.stop(within=grace) == 0
        assert other.ask(f"/api/sessions/{id}", key=key)[0] == 200


def test_the_image_contains_the_libraries_of_the_command():
    # Libraries of the base image: glibc and the runtime of the compiler.
    there = {"linux-vdso", "libc", "libm", "libgcc_s", "libdl", "libpthread", "librt", "ld-linux-x86-64"}
    linked = subprocess.run(["ldd", BIN], capture_output=True, text=True, check=True).stdout
    names = {line.split()[0].rsplit("/", 1)[-1].split(".so")[0] for line in linked.splitlines()}
    assert names <= there | {"ld-linux-aarch64"}, linked


def test_the_image_starts_what_the_pod_starts():
    of = lambda word: re.search(rf"^{word} (.*)$", CONTAINERFILE, re.MULTILINE).group(1)
    assert json.loads(of("ENTRYPOINT")) == ["/usr/local/bin/interlingua"]
    assert json.loads(of("CMD")) == container()["args"]
    user = manifest("Deployment")["spec"]["template"]["spec"]["securityContext"]["runAsUser"]
    assert of("USER") == f"{user}:{user}"
    # A new volume in the folder of the store is writable.
    assert f"--chown={user}:{user} /state/ /var/lib/" in CONTAINERFILE
    assert int(of("EXPOSE")) == container()["ports"][0]["containerPort"]
    toolchain = re.search(r'channel = "(\d+\.\d+)', (ROOT / "rust-toolchain.toml").read_text())
    assert f"rust:{toolchain.group(1)}-" in CONTAINERFILE


@pytest.mark.parametrize(
    ("schema", "pattern"),
    [
        ("github-workflows", "workflows/*.yml"),
        ("dependabot", "dependabot.yml"),
        ("github-issue-forms", "ISSUE_TEMPLATE/[!c]*.yml"),
        ("github-issue-config", "ISSUE_TEMPLATE/config.yml"),
    ],
)
def test_files_for_github_follow_their_schemas(schema, pattern):
    files = [str(one) for one in (ROOT / ".github").glob(pattern)]
    assert files
    command = ["check_jsonschema", "--builtin-schema", f"vendor.{schema}", *files]
    checked = subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout + checked.stderr
