//! The first sheet of an Excel workbook, made here as the standard says (ECMA-376) in a zip file without compression.

use eigenspan_io::ReadOptions;
use flate2::Crc;

use super::{Folder, notes, numbers, said};

/// A zip file of stored entries.
fn zip(entries: &[(&str, String)]) -> Vec<u8> {
    let (mut file, mut directory) = (Vec::new(), Vec::new());
    for (name, text) in entries {
        let mut crc = Crc::new();
        crc.update(text.as_bytes());
        let size = (text.len() as u32).to_le_bytes();
        let mut head = vec![20, 0, 0, 0, 0, 0, 0, 0, 0x21, 0];
        head.extend(crc.sum().to_le_bytes());
        head.extend([size, size].concat());
        head.extend((name.len() as u16).to_le_bytes());
        head.extend([0, 0]);
        let offset = (file.len() as u32).to_le_bytes();
        file.extend(
            [
                b"PK\x03\x04",
                head.as_slice(),
                name.as_bytes(),
                text.as_bytes(),
            ]
            .concat(),
        );
        directory.extend(
            [
                b"PK\x01\x02\x14\x00",
                head.as_slice(),
                &[0; 10],
                &offset,
                name.as_bytes(),
            ]
            .concat(),
        );
    }
    let (start, count) = (file.len() as u32, entries.len() as u16);
    file.extend(&directory);
    file.extend(
        [
            b"PK\x05\x06\0\0\0\0".as_slice(),
            &count.to_le_bytes(),
            &count.to_le_bytes(),
        ]
        .concat(),
    );
    file.extend((directory.len() as u32).to_le_bytes());
    file.extend(start.to_le_bytes());
    file.extend([0, 0]);
    file
}

fn workbook(rows: &str) -> Vec<u8> {
    const MAIN: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
    const RELS: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    const PACK: &str = "http://schemas.openxmlformats.org/package/2006";
    let sheets = r#"<sheet name="Foods" sheetId="1" r:id="rId1"/><sheet name="Other" sheetId="2" r:id="rId2"/>"#;
    let rel = |id: u8, kind: &str, to: &str| {
        format!(r#"<Relationship Id="rId{id}" Type="{RELS}/{kind}" Target="{to}"/>"#)
    };
    let part = |name: &str, kind: &str| {
        format!(
            r#"<Override PartName="/xl/{name}.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.{kind}+xml"/>"#
        )
    };
    let parts = [
        part("workbook", "sheet.main"),
        part("worksheets/sheet1", "worksheet"),
        part("worksheets/sheet2", "worksheet"),
        part("styles", "styles"),
    ];
    zip(&[
        (
            "[Content_Types].xml",
            format!(
                r#"<Types xmlns="{PACK}/content-types">{}</Types>"#,
                parts.concat()
            ),
        ),
        (
            "_rels/.rels",
            format!(
                r#"<Relationships xmlns="{PACK}/relationships">{}</Relationships>"#,
                rel(1, "officeDocument", "xl/workbook.xml")
            ),
        ),
        (
            "xl/workbook.xml",
            format!(
                r#"<workbook xmlns="{MAIN}" xmlns:r="{RELS}"><sheets>{sheets}</sheets></workbook>"#
            ),
        ),
        (
            "xl/_rels/workbook.xml.rels",
            format!(
                r#"<Relationships xmlns="{PACK}/relationships">{}{}{}</Relationships>"#,
                rel(1, "worksheet", "worksheets/sheet1.xml"),
                rel(2, "worksheet", "worksheets/sheet2.xml"),
                rel(3, "styles", "styles.xml")
            ),
        ),
        // The second style is a date.
        (
            "xl/styles.xml",
            format!(
                r#"<styleSheet xmlns="{MAIN}"><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>"#
            ),
        ),
        (
            "xl/worksheets/sheet1.xml",
            format!(r#"<worksheet xmlns="{MAIN}"><sheetData>{rows}</sheetData></worksheet>"#),
        ),
        (
            "xl/worksheets/sheet2.xml",
            format!(r#"<worksheet xmlns="{MAIN}"><sheetData/></worksheet>"#),
        ),
    ])
}

fn text(place: &str, text: &str) -> String {
    format!(r#"<c r="{place}" t="inlineStr"><is><t>{text}</t></is></c>"#)
}

fn number(place: &str, number: &str) -> String {
    format!(r#"<c r="{place}"><v>{number}</v></c>"#)
}

fn row(number: u32, cells: &[String]) -> String {
    format!(r#"<row r="{number}">{}</row>"#, cells.concat())
}

#[test]
fn the_first_sheet_is_read_like_text() {
    let date = |place: &str| format!(r#"<c r="{place}" s="1"><v>45322</v></c>"#);
    let rows = [
        row(
            1,
            &[
                text("A1", "food"),
                text("B1", "when"),
                text("C1", "England"),
                text("D1", "Wales, N"),
            ],
        ),
        row(
            2,
            &[
                text("A2", "Cheese"),
                date("B2"),
                number("C2", "105"),
                number("D2", "0.1"),
            ],
        ),
        row(
            4,
            &[
                text("A4", "Fish \"n\" chips"),
                date("B4"),
                number("C4", "147.25"),
                r#"<c r="D4" t="e"><v>#N/A</v></c>"#.to_owned(),
            ],
        ),
        row(5, &[text("A5", "Tea"), date("B5"), number("C5", "1e-3")]),
    ];
    let folder = Folder::new();
    let path = folder.file("foods.xlsx", workbook(&rows.concat()));
    let input = eigenspan_io::Input::new(path);
    let table = eigenspan_io::open(&input, &ReadOptions::default(), &eigenspan::Context::new());
    let table = table.unwrap_or_else(|error| panic!("{}", said(&error)));
    assert_eq!(table.columns(), ["England", "Wales, N"]);
    let (cells, _) = numbers(&table);
    assert_eq!(cells[..3], [105., 0.1, 147.25]);
    assert!(cells[3].is_nan() && cells[4] == 0.001 && cells[5].is_nan());
    assert_eq!(
        table.texts("food").expect("a column")[1],
        "Fish \"n\" chips"
    );
    assert_eq!(table.texts("when").expect("a column")[0], "2024-01-31");
    assert!(
        notes(&table).contains("the first of 2 sheets is read: Foods"),
        "{}",
        notes(&table)
    );
    assert!(notes(&table).contains("dates"), "{}", notes(&table));
}

#[test]
fn faults_in_a_sheet_name_its_row_and_never_crash() {
    let folder = Folder::new();
    let said_of = |bytes: &[u8]| {
        let input = eigenspan_io::Input::new(folder.file("t.xlsx", bytes));
        let table = eigenspan_io::open(&input, &ReadOptions::default(), &eigenspan::Context::new());
        table
            .map(|_| String::new())
            .unwrap_or_else(|error| said(&error))
    };
    let mut rows = row(1, &[text("A1", "a"), text("B1", "b")]);
    for i in 2..9 {
        let cell = if i == 7 {
            text("A7", "oops")
        } else {
            number(&format!("A{i}"), "1.5")
        };
        rows += &row(i, &[cell, number(&format!("B{i}"), &i.to_string())]);
    }
    let file = workbook(&rows);
    let error = said_of(&file);
    assert!(
        error.contains("line 7") && error.contains("oops"),
        "{error}"
    );
    let apart = row(1, &[text("A1", "a")])
        + &(2..200)
            .map(|i| row(i, &[number(&format!("XFD{i}"), "1")]))
            .collect::<String>();
    let error = said_of(&workbook(&apart));
    assert!(error.contains("far apart"), "{error}");
    assert!(said_of(&workbook("")).contains("empty"));
    for cut in (0..file.len()).step_by(37) {
        assert!(!said_of(&file[..cut]).is_empty(), "cut at {cut}");
    }
    for place in (0..file.len()).step_by(11) {
        let mut flipped = file.clone();
        flipped[place] ^= 0x11;
        said_of(&flipped);
    }
}
