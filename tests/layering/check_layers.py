#!/usr/bin/env python3
"""Checks every include of every room against the table of rooms in cmake/rooms.cmake.

A room may include itself and rooms of lower layers. A source folder that is in no room, or includes a project header
that is not there, is an error too, so that nothing escapes the check by its place.
"""

import argparse
import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


def read_rooms(table):
    """{'webhook/base': 0, …} of 'webhook/base:0,webhook/kube:1'."""
    rooms = {}
    for entry in filter(None, table.split(",")):
        folder, layer = entry.rsplit(":", 1)
        rooms[folder] = int(layer)
    return rooms


def room_of(path, rooms):
    """The room that a file below the source folder belongs to, or None."""
    folder = str(pathlib.PurePosixPath(path).parent)
    while folder not in ("", "."):
        if folder in rooms:
            return folder
        folder = str(pathlib.PurePosixPath(folder).parent)
    return None


def resolve(include, source):
    """The file an include means, as the compiler's search path has it: below webhook/, then below the source."""
    for base in ("webhook", "."):
        if (source / base / include).is_file():
            return (pathlib.PurePosixPath(base) / include).as_posix()
    return None


def check_file(path, source, rooms):
    own = room_of(path, rooms)
    if own is None:
        return [f"{path}: lies in no room of cmake/rooms.cmake"]
    wrong = []
    for include in INCLUDE.findall((source / path).read_text(encoding="utf-8")):
        target = resolve(include, source)
        other = room_of(target, rooms) if target else None
        if other is None:
            wrong.append(f"{path}: includes \"{include}\", which is in no room (system headers take < >)")
        elif other != own and rooms[other] >= rooms[own]:
            wrong.append(f"{path}: {own} (layer {rooms[own]}) may not include {other} (layer {rooms[other]})")
    return wrong


def check(source, rooms):
    wrong = []
    for top in ("webhook", "certs", "agent"):
        for file in sorted((source / top).rglob("*")):
            if file.suffix in (".h", ".cc"):
                wrong += check_file(file.relative_to(source).as_posix(), source, rooms)
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--rooms", required=True, help="FOLDER:LAYER,…")
    arguments = parser.parse_args()
    wrong = check(arguments.source, read_rooms(arguments.rooms))
    print("\n".join(wrong) or "every include leads downwards")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
