"""Edits a document as a person does, in a LibreOffice that runs without a screen: python office_edits.py PIPE IN OUT EDITS.json

An edit is [what, where, text]: ``choose`` and ``control`` set the content control at a bookmark, ``type`` types at the bookmark's
end with the keyboard's command, ``paragraph`` adds a paragraph after the one that begins with ``where``, ``annotate`` puts a
comment into the margin there, ``replace`` writes over a paragraph.
Prints ``saved`` when the document is written. Needs a Python that has ``uno``.
"""

import contextlib
import json
import os
import sys
import time

import uno
from com.sun.star.beans import PropertyValue


def value(name, content):
    found = PropertyValue()
    found.Name, found.Value = name, content
    return found


def connect(pipe):
    local = uno.getComponentContext()
    resolver = local.ServiceManager.createInstanceWithContext("com.sun.star.bridge.UnoUrlResolver", local)
    for _ in range(150):
        try:
            return resolver.resolve(f"uno:pipe,name={pipe};urp;StarOffice.ComponentContext")
        except Exception:
            time.sleep(0.2)
    raise SystemExit("no office")


def control(anchor):
    """The content control in the cell of a bookmark."""
    for paragraph in parts(anchor.getText()):
        for portion in parts(paragraph):
            if portion.TextPortionType == "ContentControl":
                return portion.ContentControl
    raise SystemExit("no content control in the cell")


def parts(collection):
    walker = collection.createEnumeration()
    while walker.hasMoreElements():
        yield walker.nextElement()


def paragraph_of(document, beginning):
    for paragraph in parts(document.Text):
        if paragraph.supportsService("com.sun.star.text.Paragraph") and paragraph.String.startswith(beginning):
            return paragraph
    raise SystemExit(f"no paragraph {beginning!r}")


def edit(context, document, what, where, text):
    if what in ("choose", "control"):
        inside = control(document.Bookmarks.getByName(where).Anchor)
        portions = [portion for portion in parts(inside) if portion.String]
        for portion in portions[1:]:
            portion.setString("")
        portions[0].setString(text)
    elif what == "type":
        view = document.CurrentController.ViewCursor
        view.gotoRange(document.Bookmarks.getByName(where).Anchor.End, False)
        helper = context.ServiceManager.createInstanceWithContext("com.sun.star.frame.DispatchHelper", context)
        frame = document.CurrentController.Frame
        for position, line in enumerate(text.split("\n")):
            if position:
                helper.executeDispatch(frame, ".uno:InsertPara", "", 0, ())
            helper.executeDispatch(frame, ".uno:InsertText", "", 0, (value("Text", line),))
    elif what == "paragraph":
        end = paragraph_of(document, where).End
        document.Text.insertControlCharacter(end, 0, False)
        document.Text.insertString(paragraph_of(document, where).End, "", False)
        cursor = document.Text.createTextCursorByRange(paragraph_of(document, where).End)
        cursor.gotoNextParagraph(False)
        document.Text.insertString(cursor, text, False)
    elif what == "annotate":
        note = document.createInstance("com.sun.star.text.textfield.Annotation")
        note.Author, note.Content = "Li Lei", text
        document.Text.insertTextContent(paragraph_of(document, where).Start, note, False)
    elif what == "replace":
        paragraph_of(document, where).setString(text)
    else:
        raise SystemExit(what)


def main():
    pipe, source, target, edits = sys.argv[1:]
    context = connect(pipe)
    desktop = context.ServiceManager.createInstanceWithContext("com.sun.star.frame.Desktop", context)
    document = desktop.loadComponentFromURL(uno.systemPathToFileUrl(source), "_blank", 0, ())
    with open(edits, encoding="utf-8") as file:
        for change in json.load(file):
            edit(context, document, *change)
    document.storeToURL(uno.systemPathToFileUrl(target), (value("FilterName", "MS Word 2007 XML"),))
    document.close(True)
    print("saved", flush=True)
    with contextlib.suppress(Exception):  # the office is gone before it has answered
        desktop.terminate()
    os._exit(0)  # the bridge to an office that has gone can crash while the interpreter takes it down


main()
