//! The examples below the help of each command: no line is wider than 80 characters.

pub(crate) const ALL: &str = "\
Examples:
  eigenspan foods.csv                      a first look; nothing is written
  eigenspan report foods.csv               the readable report, as one page
  eigenspan report kpca rings.csv          the same of a kernel PCA
  eigenspan fit pca foods.csv -k 2 -m foods.safetensors -o scores.csv
  eigenspan fit pca foods.csv -k 90%       as many components as 90 % needs
  eigenspan transform foods.safetensors more.csv -o more-scores.csv
  eigenspan inverse foods.safetensors scores.csv -o rebuilt.csv
  eigenspan fit kpca rings.csv -k 2 --kernel 'rbf(gamma=2)' -o scores.csv
  eigenspan denoise kpca noisy/ --train clean/ -k 64 -o cleaned/
  eigenspan select wine.csv --scale        some of the columns, as they are
  eigenspan describe foods.csv             what its columns hold
  eigenspan describe foods.safetensors     what is in a model
  eigenspan choose foods.csv               how many components to keep
  eigenspan plan pca foods.csv -k 2        what would run, and why
  eigenspan plot biplot foods.csv          a figure; -o foods.svg writes it
  eigenspan tune kpca iris.csv --label-column species
                                           the kernel that does best
  eigenspan neighbors iris.csv -k 15 -o graph.npz
                                           the nearest rows of every row
  eigenspan evaluate wine.csv --label-column target --scale
                                           where a reduction helps a classifier

A name that was typed is replaced if it is there, and that is said.
- reads standard input or writes standard output. Exit codes: 0 done,
1 internal fault, 2 wrong usage or bad input, 130 interrupted.";

pub(super) const LOOK: &str = "\
Examples:
  eigenspan foods.csv                      a first look; nothing is written
  eigenspan wine.csv --scale --label-column target
  eigenspan 'part-*.csv'                   several files as one table
  duckdb -csv -c \"from 'x.parquet'\" | eigenspan -";

pub(super) const REPORT: &str = "\
Examples:
  eigenspan report foods.csv               writes foods.report.html beside it
  eigenspan report wine.csv --scale --label-column target -o wine.html
  eigenspan report decathlon.csv --supplementary Points,Rank --tables out
  eigenspan report wine.csv --scale -k 3 --rotate varimax
  eigenspan report kpca rings.csv --kernel rbf -k 5 --label-column ring
  eigenspan report wine.safetensors        what a model file knows
  eigenspan report wine.safetensors new.csv
                                           and where new rows lie";

pub(super) const TRANSFORM: &str = "\
Examples:
  eigenspan transform wine.safetensors new.csv -o new-scores.csv
  eigenspan transform wine.safetensors new.parquet -o new-scores.parquet
  eigenspan transform wine.safetensors new.csv --keep target | head";

pub(super) const INVERSE: &str = "\
Examples:
  eigenspan inverse wine.safetensors scores.csv -o rebuilt.csv
  eigenspan inverse photo.safetensors scores.npy -o back.png
  eigenspan inverse rings.safetensors scores.csv --pre-image ridge -o rows.csv";

pub(super) const DESCRIBE: &str = "\
Examples:
  eigenspan describe foods.csv             what each column holds
  eigenspan describe foods.csv --json      the same for a program
  eigenspan describe foods.safetensors     what is in a model, and its command";

pub(super) const CHOOSE: &str = "\
Examples:
  eigenspan choose foods.csv               a table of rules, and the answer
  eigenspan choose foods.csv --scale       the same for columns of variance 1
  eigenspan choose foods.csv --share 99%   with another share of the variance
  eigenspan choose foods.csv --json        with the numbers behind every rule
  eigenspan fit pca foods.csv -k auto      fits as many as the rules agree on";

pub(super) const PLAN: &str = "\
Examples:
  eigenspan plan pca foods.csv -k 2        solver, passes and memory of a fit
  eigenspan plan pca big.parquet -k 20 --memory 2GB
  eigenspan plan kpca rings.csv -k 2 --gamma median";

pub(super) const PLOT: &str = "\
Examples:
  eigenspan plot scree foods.csv           drawn in the terminal
  eigenspan plot biplot foods.csv -o foods.svg
  eigenspan plot scores wine.csv --scale --color-by target -o wine.png
  eigenspan plot scores wine.safetensors new.csv --x PC2 --y PC3";

pub(super) const COMPLETIONS: &str = "\
Examples:
  source <(eigenspan completions bash)     in ~/.bashrc
  eigenspan completions zsh > ~/.zfunc/_eigenspan
  eigenspan completions fish > ~/.config/fish/completions/eigenspan.fish";

pub(super) const MAN: &str = "\
Examples:
  eigenspan man | man -l -                 shows the page of the program
  eigenspan man fit pca > eigenspan-fit-pca.1
  eigenspan man --all man1                 every page, into a folder";
