"""kustomize gets what was looked at before and nothing else, and renders it as it renders the folder itself."""

import subprocess
from pathlib import Path

import pytest

from shared import kubernetes_yaml
from shared.bundles.problems import BundleError
from shared.children import child_process
from shared.phase_documents import entry_points, kustomize
from tests.product.unit.phases.bundles import need_kustomize

CONFIG_MAP = "{apiVersion: v1, kind: ConfigMap, metadata: {name: one}, data: {a: b}}"
DEPLOYMENT = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "registry.example.org/web:1", args: ["$(WEB)", "="]}]}
"""
ROOT = """
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
metadata: {name: root}
namespace: spaces
namePrefix: a-
nameSuffix: -z
commonLabels: {a: "yes"}
commonAnnotations: {b: "1e3"}
labels: [{pairs: {c: d}}]
resources: [web.yaml, more/base, file.txt]
bases: [base]
components: [component]
crds: [crd.yaml]
configurations: [configuration.yaml]
configMapGenerator:
- {name: files, files: [file.txt, key=file.txt], envs: [settings.env], env: old.env, literals: [a=b]}
secretGenerator:
- {name: secrets, files: [file.txt], type: Opaque}
generatorOptions: {disableNameSuffixHash: true}
images: [{name: registry.example.org/web, newTag: "2"}]
replicas: [{name: web, count: 3}]
vars: [{name: WEB, objref: {apiVersion: apps/v1, kind: Deployment, name: web}}]
patches:
- path: patch.yaml
- {patch: '[{"op": "add", "path": "/spec/paused", "value": true}]', target: {kind: Deployment}}
patchesJson6902:
- {target: {group: apps, version: v1, kind: Deployment, name: web}, path: operations.json}
patchesStrategicMerge:
- patch.yaml
- |
  apiVersion: apps/v1
  kind: Deployment
  metadata: {name: web, annotations: {place: "in é\\u0085\\U0001F600"}}
replacements:
- path: replacement.yaml
generators:
- generator.yaml
- plugins
- |
  apiVersion: builtin
  kind: SecretGenerator
  metadata: {name: placed}
  name: placed
  envs: [settings.env]
transformers:
- |
  apiVersion: builtin
  kind: PatchTransformer
  metadata: {name: patching}
  path: patch.yaml
  ---
  apiVersion: builtin
  kind: LabelTransformer
  metadata: {name: labelling}
  labels: {x: "off"}
  fieldSpecs: [{path: metadata/labels, create: true}]
validators: []
buildMetadata: [originAnnotations]
"""
PATCH = "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {minReadySeconds: 5}}"
REPLACEMENT = """
source: {kind: Deployment, name: web, fieldPath: metadata.name}
targets: [{select: {kind: ConfigMap, name: one}, fieldPaths: [data.a]}]
"""
GENERATOR = "{apiVersion: builtin, kind: ConfigMapGenerator, metadata: {name: made}, name: made, files: [file.txt]}"
FILES = {
    "root/kustomization.yaml": ROOT,
    "root/web.yaml": DEPLOYMENT,
    "root/file.txt": CONFIG_MAP.replace("one", "from-text"),
    "root/more/base/kustomization.yml": "resources: [one.yaml]\npatches: [patch.yaml]\n",
    "root/more/base/one.yaml": CONFIG_MAP,
    "root/more/base/patch.yaml": CONFIG_MAP.replace("a: b", "c: d"),
    "root/base/Kustomization": "resources: [../../shared]\n",
    "shared/kustomization.yaml": "resources: [two.yaml]\n",
    "shared/two.yaml": CONFIG_MAP.replace("one", "two"),
    "root/component/kustomization.yaml": (
        "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nresources: [three.yaml]\n"
    ),
    "root/component/three.yaml": CONFIG_MAP.replace("one", "three"),
    "root/crd.yaml": "{}",
    "root/configuration.yaml": "namePrefix: [{path: metadata/name, kind: Thing}]\n",
    "root/settings.env": "x=1\n",
    "root/old.env": "y=2\n",
    "root/patch.yaml": PATCH,
    "root/operations.json": '[{"op": "replace", "path": "/spec/replicas", "value": 2}]',
    "root/replacement.yaml": REPLACEMENT,
    "root/generator.yaml": GENERATOR,
    "root/plugins/kustomization.yaml": "resources: [more.yaml]\n",
    "root/plugins/more.yaml": GENERATOR.replace("made", "more"),
}


def write(folder: Path, files: dict[str, str]) -> Path:
    """Write files into a folder; return the folder."""
    need_kustomize()
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return folder


def test_everything_that_a_kustomization_may_say_renders_as_kustomize_alone_renders_it(tmp_path: Path) -> None:
    """So the way through our own reading changes nothing."""
    folder = write(tmp_path, FILES)
    alone = subprocess.run([kustomize.binary(), "build", folder / "root"], capture_output=True, text=True, check=True)
    want = list(kubernetes_yaml.load_all(alone.stdout))
    for one in want:
        one["metadata"]["annotations"].pop(kustomize.ORIGIN, None)
    found = kustomize.build(folder, "root")
    assert [one.document for one in found] == want
    assert len(found) == 10
    assert {one.file for one in found} == {
        *("root", "root/web.yaml", "root/file.txt", "root/more/base/one.yaml", "shared/two.yaml"),
        "root/component/three.yaml",
    }


ADDRESS = "http://127.0.0.1:9/one.yaml"
PLUGIN = "apiVersion: builtin\nkind: {}\nmetadata: {{name: one}}\n{}\n"
ESCAPES = {
    "another case": f"RESOURCES: [{ADDRESS}]",
    "another case inside": f"configMapGenerator: [{{name: a, FILES: [{ADDRESS}]}}]",
    "a patch in another case": f"patches: [{{Path: {ADDRESS}}}]",
    "an address with a line break": f'resources: ["{ADDRESS}\\n"]',
    "a path with a line break": 'resources: ["../../outside.yaml\\n"]',
    "a base in place": 'bases: ["{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\\n"]',
    "an address after a key": f"secretGenerator: [{{name: a, files: [k={ADDRESS}]}}]",
    "an address of settings": f"secretGenerator: [{{name: a, envs: [{ADDRESS}]}}]",
    "an address of old settings": f"secretGenerator: [{{name: a, env: {ADDRESS}}}]",
    "an address of replacements": f"replacements: [{{path: {ADDRESS}}}]",
    "an address of a schema": f"openapi: {{path: {ADDRESS}}}",
    "an address of an old patch": f"patches: [{ADDRESS}]",
    "a file outside": "resources: [../outside.yaml, ../../outside.yaml]",
    "an absolute path": "crds: [/etc/passwd]",
    "a repository": "components: [github.com/org/repository]",
    "a chart": "helmCharts: [{name: a}]",
    "a chart of a plugin": f"generators: ['{CONFIG_MAP}']",
    **{
        f"a {kind} in place": f"{member}:\n- |\n" + "".join(f"  {line}\n" for line in text.splitlines())
        for member, kind, text in (
            ("generators", "HelmChartInflationGenerator", PLUGIN.format("HelmChartInflationGenerator", "name: a")),
            ("generators", "ConfigMapGenerator", PLUGIN.format("ConfigMapGenerator", f"files: [{ADDRESS}]")),
            ("generators", "SecretGenerator", PLUGIN.format("SecretGenerator", f"envs: [{ADDRESS}]")),
            ("generators", "List", PLUGIN.format("List", f"items: [{GENERATOR}]")),
            ("transformers", "PatchTransformer", PLUGIN.format("PatchTransformer", f"path: {ADDRESS}")),
            ("transformers", "PatchTransformer of another case", PLUGIN.format("PatchTransformer", f"PATH: {ADDRESS}")),
            ("transformers", "PatchJson6902Transformer", PLUGIN.format("PatchJson6902Transformer", f"path: {ADDRESS}")),
            (
                "transformers",
                "PatchStrategicMergeTransformer",
                PLUGIN.format("PatchStrategicMergeTransformer", f"paths: [{ADDRESS}]"),
            ),
            (
                "validators",
                "ReplacementTransformer",
                PLUGIN.format("ReplacementTransformer", f"replacements: [{{path: {ADDRESS}}}]"),
            ),
            ("validators", "ValueAddTransformer", PLUGIN.format("ValueAddTransformer", "targetFilePath: /etc/passwd")),
            ("transformers", "function", "apiVersion: v1\nkind: Thing\nmetadata: {name: a}\n"),
        )
    },
    "plugins that a root changes": "generators: [changing]",
}


@pytest.mark.parametrize("text", ESCAPES.values(), ids=ESCAPES.keys())
def test_what_would_leave_the_bundle_is_refused_before_kustomize_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    """The author learns which member it is."""
    monkeypatch.setattr(child_process, "run", lambda *_, **__: pytest.fail("kustomize runs"))
    (tmp_path / "outside.yaml").write_text(CONFIG_MAP)
    files = {
        "root/kustomization.yaml": text,
        "root/changing/kustomization.yaml": "resources: [one.yaml]\npatches: [{path: p.yaml}]\n",
        "root/changing/one.yaml": GENERATOR,
    }
    bundle = write(tmp_path / "bundle", files)
    with pytest.raises(BundleError) as caught:
        kustomize.build(bundle, "root")
    assert all(one.file.startswith("root/") for one in caught.value.problems)


BOMB = "\n".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9 if n else ['x'] * 9)}]" for n in range(9))
LONG = "a: &a " + "x" * 100_000 + "\nb: [" + ", ".join(["*a"] * 10_000) + "]"


@pytest.mark.parametrize("bomb", [BOMB, LONG], ids=["of values", "of characters"])
@pytest.mark.parametrize(
    ("named", "text"),
    [
        ("file.txt", "resources: [file.txt]"),
        ("file.yaml", "patches: [{path: file.yaml}]"),
        ("file.yaml", "patchesStrategicMerge: [file.yaml]"),
        ("file.yaml", "crds: [file.yaml]"),
        ("file.yaml", "configurations: [file.yaml]"),
        ("file.yaml", "replacements: [{path: file.yaml}]"),
        ("file.yaml", "openapi: {path: file.yaml}"),
    ],
    ids=lambda value: value.partition(":")[0],
)
def test_a_bomb_is_refused_in_whatever_file_kustomize_would_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str, text: str, bomb: str
) -> None:
    """307 bytes of aliases took five gigabytes."""
    monkeypatch.setattr(child_process, "run", lambda *_, **__: pytest.fail("kustomize runs"))
    bundle = write(tmp_path, {"root/kustomization.yaml": text, f"root/{named}": bomb})
    with pytest.raises(BundleError, match=f"root/{named}: The file stands for more than"):
        kustomize.build(bundle, "root")


def test_a_bomb_that_only_kustomize_reads_ends_at_its_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And not with the memory of the machine."""
    monkeypatch.setattr(kustomize, "MOST_MEMORY_BYTES", 64 << 20)
    bomb = "\n".join(f"      {line}" for line in BOMB.splitlines())
    start = "apiVersion: v1\n    kind: ConfigMap\n    metadata: {name: one}\n    data:"
    patch = f"patches:\n- patch: |\n    {start}\n{bomb}\n"
    files = {"root/kustomization.yaml": f"resources: [one.yaml]\n{patch}", "root/one.yaml": CONFIG_MAP}
    with pytest.raises(BundleError, match="root: kustomize was ended, because it needed more than 67108864 bytes"):
        kustomize.build(write(tmp_path, files), "root")


def test_what_is_rendered_has_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It goes to a file, and the file cannot grow further."""
    monkeypatch.setattr(kustomize, "MOST_BYTES", 100)
    files = {"root/kustomization.yaml": "resources: [one.yaml]", "root/one.yaml": CONFIG_MAP}
    with pytest.raises(BundleError, match="it wrote more than 100 bytes"):
        kustomize.build(write(tmp_path, files), "root")


def test_kustomize_sees_the_files_that_the_entry_point_names_and_no_others(tmp_path: Path) -> None:
    """Not even those of the same bundle."""
    loaded = entry_points.load(write(tmp_path, {**FILES, "root/unnamed.yaml": CONFIG_MAP}), "root")
    # Plugins are written into the kustomization.
    inlined = {"root/generator.yaml", "root/plugins/kustomization.yaml", "root/plugins/more.yaml"}
    assert set(loaded.files) == set(FILES) - inlined


def test_an_origin_that_a_bundle_claims_leads_nowhere(tmp_path: Path) -> None:
    """A transformer can write the annotation in which kustomize says where a document is from."""
    claim = "commonAnnotations: {config.kubernetes.io/origin: 'path: ../../etc'}"
    files = {"root/kustomization.yaml": f"resources: [one.yaml]\n{claim}", "root/one.yaml": CONFIG_MAP}
    [found] = kustomize.build(write(tmp_path, files), "root")
    assert found.file == "root"
