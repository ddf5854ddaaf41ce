"""What would help is said in Python's words: parameters of functions here, never options of a terminal."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import numpy as np
import pytest
from support import ROOT

import eigenspan as es

FILES = ROOT / "tests/badinput/files"
# An option as it is typed in a terminal: --missing, -k, -o.
OPTION = re.compile(r"(^|[\s(:,])(--[a-z]|-[kmo]\s)", re.MULTILINE)


def said(ask) -> str:
    with pytest.raises(Exception) as raised:
        ask()
    return str(raised.value)


def warned(ask) -> list[str]:
    with warnings.catch_warnings(record=True) as all:
        warnings.simplefilter("always")
        ask()
    return [str(one.message) for one in all]


def table(folder: Path, cells: dict[tuple[int, int], str], n: int = 30, name: str = "x.csv", between: str = ",") -> Path:
    """A table of three columns of numbers with some cells replaced."""
    rows = [[cells.get((i, j), f"{i * (j + 1) % 7}.{i % 3}{j}") for j in range(3)] for i in range(n)]
    place = folder / name
    place.write_text("\n".join(between.join(row) for row in [["a", "b", "c"], *rows]) + "\n")
    return place


def test_a_bad_cell_names_the_parameters_of_read(tmp_path):
    place = table(tmp_path, {(7, 1): "oops"})
    assert said(lambda: es.read(place)).splitlines()[-1] == 'missing_values=["oops"] reads such cells as missing; missing="mean" then fills them'
    # An estimator does not take them, but takes the table that `read` gives.
    fit = said(lambda: es.PCA(2).fit(place)).splitlines()[-1]
    assert fit == 'eigenspan.read(missing_values=["oops"]) reads such cells as missing; missing="mean" then fills them'
    rows = es.read(place, missing_values=["oops"])
    assert es.PCA(2, missing="mean").fit(rows).n_samples_ == 30


def test_a_bad_last_line_can_be_left_out(tmp_path):
    place = table(tmp_path, {(29, 0): "total"})
    advice = said(lambda: es.read(place)).splitlines()[-1]
    assert advice.startswith("if line 31 is no row of data: rows=(1, 29) leaves it out; else missing_values=["), advice
    assert es.read(place, rows=(1, 29)).shape == (29, 3)


def test_missing_cells_name_the_ways_of_the_estimator(tmp_path):
    place = table(tmp_path, {(3, 2): ""})
    for ask in (lambda: es.PCA(2).fit(place), lambda: es.PCA(2).fit(es.read(place))):
        text = said(ask)
        assert text.splitlines()[-1] == 'missing="mean" fills them with their column\'s mean; missing="drop" leaves those rows out'
    assert 'eigenspan.PCA(missing="mean") fills them' in said(lambda: es.TruncatedSVD(2).fit(place))


def test_a_column_of_text_names_one_hot_and_exclude(tmp_path):
    place = table(tmp_path, {(i, 1): "xy"[i % 2] for i in range(30)})
    assert "b is text: set aside (to analyze it as columns of 0 and 1: one_hot=True)" in warned(lambda: es.read(place))
    # A model cannot encode it, but `read` can.
    assert "b is text: set aside (to analyze it as columns of 0 and 1: eigenspan.read(one_hot=True))" in warned(lambda: es.PCA(2).fit(place))
    assert es.read(place, one_hot=True).columns == ["a", "c", "b=x", "b=y"]
    assert 'exclude=["b"] leaves it out' in said(lambda: es.read(place, columns=["a", "b"]))


def test_too_many_texts_are_told_without_an_option(tmp_path):
    place = table(tmp_path, {(i, 1): f"w{i % 101}" for i in range(300)}, n=300)
    texts = warned(lambda: es.read(place, one_hot=True))
    assert "b has more than 100 different texts: too many for columns of 0 and 1" in texts


def test_another_delimiter_or_decimal_mark_is_advised(tmp_path):
    place = table(tmp_path, {(9, 2): "1,2"})
    assert "delimiter=… sets another, and a comma inside a cell needs quotes around it" in said(lambda: es.read(place))
    place = table(tmp_path, {(9, 2): "1,25"}, name="x.tsv", between="\t")
    text = said(lambda: es.read(place))
    assert text.splitlines()[-1] == 'decimal="," reads commas as decimal marks', text


def test_the_array_of_an_archive_is_named(tmp_path):
    place = tmp_path / "two.npz"
    np.savez(place, first=np.eye(3), second=np.ones((4, 2)))
    assert said(lambda: es.read(place)).splitlines()[-1] == 'member="first" reads that one'
    assert said(lambda: es.PCA(1).fit(place)).splitlines()[-1] == 'eigenspan.read(member="first") reads that one'
    assert es.read(place, member="first").shape == (3, 3)


def test_a_header_is_told_by_true_or_false(tmp_path):
    place = tmp_path / "years.csv"
    place.write_text("2001,2002,2003\n" + "".join(f"{i}.5,{i * i}.25,{7 - i}.75\n" for i in range(9)))
    assert any(text.endswith("(header=False reads it as data)") for text in warned(lambda: es.read(place)))


def test_a_description_advises_parameters():
    foods = ROOT / "data/uk-foods/uk-foods.csv"
    about = es.describe(foods)
    scales = [text for text in about["warnings"] if "a PCA will see little else" in text]
    assert all(text.endswith('(scale="std" brings every column to variance 1)') for text in scales)
    assert not OPTION.search(repr(about))


@pytest.mark.filterwarnings("ignore::eigenspan.EigenspanWarning")
def test_a_page_names_parameters(tmp_path):
    place = tmp_path / "x.csv"
    rows = np.random.default_rng(0).normal(size=(400, 320)) * np.arange(1, 321)
    names = [f"v{j}" for j in range(320)]
    lines = [f"r{i}," + ",".join(f"{x:.3f}" for x in row) for i, row in enumerate(rows)]
    place.write_text("\n".join(["name," + ",".join(names), *lines]) + "\n")
    for made in (es.PCA(2), es.KernelPCA(310, kernel="linear")):
        page = re.sub(r"(?s)<(style|script|svg).*?</\1>", " ", made.report(place).html)
        text = re.sub(r"<[^>]*>", "", page)
        assert "(eigenspan.read(id_column=…) takes another)" in text
        assert not OPTION.search(text), OPTION.findall(text)


@pytest.mark.parametrize("place", sorted(path for path in FILES.rglob("*") if path.is_file()), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_no_message_about_a_bad_file_holds_an_option_of_the_terminal(place):
    for ask in (es.read, es.PCA(1).fit, es.describe):
        with warnings.catch_warnings(record=True) as all:
            warnings.simplefilter("always")
            texts = []
            try:
                given = ask(place)
                texts.append(repr(given))
                texts += getattr(given, "notes_", [])
            except Exception as error:
                texts.append(str(error))
        for text in [*texts, *(str(one.message) for one in all)]:
            assert not OPTION.search(text), text
            assert "eigenspan describe" not in text and "iconv" not in text
