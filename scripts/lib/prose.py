"""Usage: prose.py PAGE... [SOURCE...]

Checks the sentences of pages in Markdown: at most 25 words, no relative clause as a sentence, one word for one thing.
Code, headings and questions are left out. Of sources, comments that begin with a relative clause. Prints place and finding of each; exit code 1 if there is one.
"""

import re
import sys

MOST_WORDS = 25
RELATIVE = re.compile(r"(What|Who|Whose|Which|Where)\b")
# Retired words, with their replacements.
RETIRED = {
    r"tells?|told": "report, say, name",
    r"nobody|anybody": "name the person or the program",
    r"so many|so much": "a quantity with a name and a unit",
    r"worth a look": "a finding",
    r"untuned": "default",
    r"ceiling": "attainable rate",
}


def paragraphs(text):
    """Yields line number and text of each paragraph, list item and part of a table's cell."""
    begin, words, code = 0, [], False
    for number, line in enumerate(text.split("\n") + [""], 1):
        bare = line.strip()
        fence = bare.startswith("```")
        item = re.match(r"([-*]|\d+\.) ", bare)
        ends = code or fence or item or not bare or bare[0] in "|#<" or (line.startswith("    ") and not words)
        if ends and words:
            yield begin, " ".join(words)
            words = []
        if fence:
            code = not code
        elif code or not bare or bare[0] in "#<" or (line.startswith("    ") and not words and not item):
            continue
        elif bare[0] == "|":
            yield from ((number, part.strip()) for part in re.split(r"[|;]", bare))
        else:
            begin = begin if words else number
            words.append(bare[item.end():] if item else bare)


def sentences(paragraph):
    plain = re.sub(r"`[^`]*`", "CODE", paragraph)
    plain = re.sub(r"!?\[([^]]*)\]\([^)]*\)", r"\1", plain)
    plain = re.sub(r"\*\*|(?<!\w)\*|\*(?!\w)", "", plain)
    return re.split(r"(?<=[.!?])\s+", plain)


def findings(page):
    with open(page, encoding="utf-8") as file:
        text = file.read()
    for number, paragraph in paragraphs(text):
        for sentence in sentences(paragraph):
            words = len(re.findall(r"\S*\w\S*", sentence))
            if words > MOST_WORDS:
                yield number, f"{words} words, at most {MOST_WORDS} are allowed: {sentence}"
            if RELATIVE.match(sentence) and not sentence.endswith("?"):
                yield number, f"a relative clause at the start: {sentence}"
            for pattern, instead in RETIRED.items():
                found = re.search(rf"\b({pattern})\b", sentence)
                if found:
                    yield number, f'"{found.group()}" was retired ({instead}): {sentence}'


def comments(source):
    """Findings in the first lines of the comments of a C++ source."""
    before = ""
    with open(source, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            comment = re.match(r"\s*///?<? ?(.*)", line)
            text = comment.group(1) if comment else ""
            if text and not before and RELATIVE.match(text):
                yield number, f"a comment that begins with a relative clause: {text}"
            before = text


def main(files):
    pages = [file for file in files if file.endswith(".md")]
    sources = [file for file in files if not file.endswith(".md")]
    found = [f"{page}:{number}: {finding}" for page in pages for number, finding in findings(page)]
    found += [f"{source}:{number}: {finding}" for source in sources for number, finding in comments(source)]
    print("\n".join(found) if found else f"lint: sentences of {len(pages)} pages, comments of {len(sources)} sources checked")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
