"""Print the entries of the feeds in a folder as feedparser reads them, as JSON with one object for each file.

Usage: python3 feedparser_entries.py FOLDER
"""

import calendar
import html.parser
import io
import json
import os
import re
import sys
import warnings

import feedparser

warnings.simplefilter("ignore")

# Files may state response headers in a comment, as the tests of feedparser do.
HEADER = re.compile(rb"^\s*Header:\s+([\w-]+):[ \t]*(.*?)\s*$", re.MULTILINE)


class Text(html.parser.HTMLParser):
    """The text of an HTML fragment."""

    def __init__(self, markup):
        super().__init__(convert_charrefs=True)
        self.text = []
        self.feed(markup)
        self.close()

    def handle_data(self, data):
        self.text.append(data)


def title(entry):
    detail = entry.get("title_detail", {})
    value = detail.get("value", "")
    if detail.get("type", "text/plain") != "text/plain":
        value = "".join(Text(value).text)
    return " ".join(value.split())


def date(entry):
    for name in "published", "updated", "created":
        if entry.get(name + "_parsed"):
            return str(calendar.timegm(entry[name + "_parsed"]))
    return ""


def read(path):
    with open(path, "rb") as file:
        body = file.read()
    headers = {name.decode().lower(): value.decode("utf-8", "replace") for name, value in HEADER.findall(body[:4096])}
    kind = headers.get("content-type", "application/xml")
    base = headers.get("content-location", "")
    feed = feedparser.parse(io.BytesIO(body), response_headers={"content-type": kind, "content-location": base})
    return {
        "contentType": kind,
        "url": base,
        "loose": type(feed.get("bozo_exception")).__name__ in ("SAXParseException", "UndeclaredNamespace"),
        "entries": [
            {"id": e.get("id", ""), "link": e.get("link", ""), "title": title(e), "date": date(e)} for e in feed.entries
        ],
    }


def main(folder):
    found = {}
    for at, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(at, name)
            found[os.path.relpath(path, folder)] = read(path)
    json.dump(found, sys.stdout, indent=1, sort_keys=True)


main(sys.argv[1])
