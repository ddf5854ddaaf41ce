//! Writes a sparse matrix: as NPZ, which `scipy.sparse.load_npz` reads, or as Matrix Market.
//!
//! An NPZ file is a zip file, here without compression, of NPY arrays: `data`, `indices`, `indptr`, `shape` and `format`.

use std::io::{self, Write};

use rawzip::{CompressionMethod, ZipArchiveWriter};

use super::{Output, WriteError};

/// A sparse matrix as compressed rows, to be written.
#[derive(Debug, Clone, Copy)]
pub struct SparseMatrix<'a> {
    /// Where the cells of each row begin, and the end.
    pub starts: &'a [usize],
    /// The column of each cell.
    pub columns: &'a [u32],
    /// The value of each cell.
    pub values: &'a [f64],
    /// Columns.
    pub n_cols: usize,
}

/// The formats of sparse matrices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SparseFormat {
    /// SciPy's NPZ.
    Npz,
    /// Matrix Market, as text.
    Mtx,
}

impl SparseFormat {
    /// The format that a name asks for.
    pub fn for_output(output: &Output) -> Result<Self, WriteError> {
        let extension = match output {
            Output::Path(path) => path.extension().unwrap_or_default().to_string_lossy(),
            Output::Stdout => "mtx".into(),
        };
        match extension.to_lowercase().as_str() {
            "npz" => Ok(SparseFormat::Npz),
            "mtx" => Ok(SparseFormat::Mtx),
            _ => Err(WriteError::NotSparse {
                file: output.name(),
            }),
        }
    }
}

impl SparseMatrix<'_> {
    /// Writes the matrix.
    pub fn write(&self, format: SparseFormat, out: &mut dyn Write) -> io::Result<()> {
        match format {
            SparseFormat::Npz => self.write_npz(out),
            SparseFormat::Mtx => self.write_mtx(out),
        }
    }

    fn n_rows(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    fn write_npz(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut archive = ZipArchiveWriter::new(out);
        let mut add = |name: &str, descr: &str, shape: String, fill: Fill<'_>| {
            let file = archive.new_file(name);
            let file = file.compression_method(CompressionMethod::STORE);
            let (mut entry, config) = file.start().map_err(io::Error::other)?;
            let mut writer = config.wrap(&mut entry);
            writer.write_all(&header(descr, &shape))?;
            fill(&mut writer)?;
            let (_, sums) = writer.finish().map_err(io::Error::other)?;
            entry.finish(sums).map_err(io::Error::other)?;
            Ok::<(), io::Error>(())
        };
        let nnz = self.columns.len();
        let line = |n: usize| format!("({n},)");
        // SciPy takes 32-bit indices where all of them fit, and has both lists of one type.
        let wide = nnz.max(self.n_cols).max(self.n_rows()) > i32::MAX as usize;
        let index = if wide { "<i8" } else { "<i4" };
        let put = |out: &mut dyn Write, x: usize| match wide {
            true => out.write_all(&(x as i64).to_le_bytes()),
            false => out.write_all(&(x as i32).to_le_bytes()),
        };
        add("indices.npy", index, line(nnz), &mut |out| {
            self.columns.iter().try_for_each(|x| put(out, *x as usize))
        })?;
        add("indptr.npy", index, line(self.starts.len()), &mut |out| {
            self.starts.iter().try_for_each(|x| put(out, *x))
        })?;
        add("format.npy", "|S3", "()".to_owned(), &mut |out| {
            out.write_all(b"csr")
        })?;
        add("shape.npy", "<i8", line(2), &mut |out| {
            [self.n_rows(), self.n_cols]
                .iter()
                .try_for_each(|x| out.write_all(&(*x as i64).to_le_bytes()))
        })?;
        add("data.npy", "<f8", line(nnz), &mut |out| {
            self.values
                .iter()
                .try_for_each(|x| out.write_all(&x.to_le_bytes()))
        })?;
        archive.finish().map_err(io::Error::other)?;
        Ok(())
    }

    fn write_mtx(&self, out: &mut dyn Write) -> io::Result<()> {
        let (n, d, nnz) = (self.n_rows(), self.n_cols, self.columns.len());
        writeln!(out, "%%MatrixMarket matrix coordinate real general")?;
        writeln!(out, "{n} {d} {nnz}")?;
        let mut digits = zmij::Buffer::new();
        for (i, ends) in self.starts.windows(2).enumerate() {
            for at in ends[0]..ends[1] {
                let value = digits.format(self.values[at]);
                writeln!(out, "{} {} {value}", i + 1, self.columns[at] + 1)?;
            }
        }
        Ok(())
    }
}

/// Writes the bytes of an array.
type Fill<'a> = &'a mut dyn FnMut(&mut dyn Write) -> io::Result<()>;

/// The header of an NPY file (version 1.0), padded to whole lines of 64 bytes.
fn header(descr: &str, shape: &str) -> Vec<u8> {
    let dict = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    let length = (10 + dict.len() + 1).next_multiple_of(64);
    let mut out = b"\x93NUMPY\x01\x00".to_vec();
    out.extend_from_slice(&((length - 10) as u16).to_le_bytes());
    out.extend_from_slice(dict.as_bytes());
    out.resize(length - 1, b' ');
    out.push(b'\n');
    out
}
