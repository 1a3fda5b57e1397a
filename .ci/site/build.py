"""Builds the pages of docs/ as a site, in .build-docs/site.

    build.py [FOLDER OF PICTURES]

The text is the repository's own: what lies elsewhere (README, CONTRIBUTING, …) is laid beside it, and links are turned
to where things are on the site. A link or heading that is not there fails the build. The pictures are those that
console_pictures.py takes; without them their page says how to make them.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SCRATCH = ROOT / ".build-docs"
PAGES = SCRATCH / "pages"
REPOSITORY = os.environ.get("GITHUB_REPOSITORY")
# Pages that are elsewhere in the repository.
MOVED = {"README.md": "starting.md", "CONTRIBUTING.md": "contributing.md", "SECURITY.md": "security.md", "CHANGELOG.md": "changelog.md"}
PACKAGES = ["mkdocs==1.6.*", "mkdocs-material==9.8.*"]
SHOWN = [
    ("home", "Home: what the doctor has found, and what failed"), ("tables-public-tasks", "Tables"), ("access-public-tasks-ada-acme-example", "Who sees what, and why"),
    ("users", "Users"), ("functions-listtasks", "Functions"), ("jobs", "Jobs"), ("live-public-tasks", "Live: changes as they are committed"), ("logs", "Logs"),
    ("metrics", "Metrics"), ("sql", "SQL"), ("schema", "Schema"), ("files", "Files"), ("settings", "Settings"),
]


def main():
    pictures = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / ".build-pictures")
    shutil.rmtree(PAGES, ignore_errors=True)
    PAGES.mkdir(parents=True)
    for path in (ROOT / "docs").glob("*.md"):
        (PAGES / path.name).write_text(turned(path.read_text(), path.parent))
    for name, page in MOVED.items():
        (PAGES / page).write_text(turned((ROOT / name).read_text(), ROOT))
    for path in HERE.glob("*.css"):
        shutil.copy(path, PAGES)
    shutil.copy(HERE / "index.md", PAGES)
    (PAGES / "packages.md").write_text(
        "# Every type\n\nThe reference of the packages, from the comments of their source:\n\n"
        '<ul><li><a href="../types/documentation/swiftlet/">Swiftlet</a>, for functions</li>'
        '<li><a href="../types/documentation/swiftletclient/">SwiftletClient</a>, for apps</li></ul>\n'
    )
    (PAGES / "pictures.md").write_text(gallery(pictures))
    subprocess.run([python(), "-m", "mkdocs", "build", "--strict", "--clean", "--config-file", HERE / "mkdocs.yml"], check=True, env=dict(os.environ, NO_MKDOCS_2_WARNING="1"))


def turned(text, folder):
    """The text with links to where things are on the site."""

    def turn(match):
        label, target = match.groups()
        path, mark, anchor = target.partition("#")
        if not path or re.match("[a-z]+:", path):
            return match.group(0)
        place = (folder / path).resolve()
        if not place.exists():
            raise SystemExit(f"{folder.name}: there is no {target}")
        name = str(place.relative_to(ROOT))
        if name in MOVED:
            return f"[{label}]({MOVED[name]}{mark}{anchor})"
        if place.parent == ROOT / "docs" and place.suffix == ".md":
            return f"[{label}]({place.name}{mark}{anchor})"
        return f"[{label}](https://github.com/{REPOSITORY}/blob/main/{name})" if REPOSITORY else label

    # Not within code.
    parts = re.split(r"(^```.*?^```|`[^`\n]+`)", text, flags=re.M | re.S)
    links = re.compile(r"\[((?:[^\[\]]|\x00)*)\]\(([^)\s]+)\)")
    code = [part for part in parts[1::2]]
    joined = "".join(part if index % 2 == 0 else f"\x00{index // 2}\x00" for index, part in enumerate(parts))
    return re.sub("\x00(\\d+)\x00", lambda match: code[int(match.group(1))], links.sub(turn, joined))


def gallery(folder):
    head = "---\nhide: [toc]\n---\n\n# The console in pictures\n\n"
    found = [(name, title) for name, title in SHOWN if all((folder / f"{scheme}-desktop-{name}.png").exists() for scheme in ("light", "dark"))]
    if not found:
        return head + "They are taken by the console's tests: `make console-test`, then `make docs`.\n"
    (PAGES / "pictures").mkdir()
    for name, _ in found:
        for scheme in ("light", "dark"):
            shutil.copy(folder / f"{scheme}-desktop-{name}.png", PAGES / "pictures" / f"{scheme}-{name}.png")
    return head + "Taken by its tests, of the demo data. [What it does](console.md) is said elsewhere.\n\n" + "\n\n".join(
        f"## {title}\n\n![{title}](pictures/light-{name}.png#only-light){{ loading=lazy }}\n![{title}](pictures/dark-{name}.png#only-dark){{ loading=lazy }}"
        for name, title in found
    )


def python():
    """An interpreter with the generator."""
    folder = SCRATCH / "python"
    stamp = folder / "installed"
    program = folder / "bin" / "python"
    if not stamp.exists() or stamp.read_text() != str(PACKAGES):
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([program, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *PACKAGES], check=True)
        stamp.write_text(str(PACKAGES))
    return program


main()
