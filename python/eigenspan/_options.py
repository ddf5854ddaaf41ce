"""Parameters, written by python/tools/write_options.py from the engine's options: change those."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Literal

    import numpy as np

    from ._core import Kernel
    from ._watch import Callback


class PCAParameters:
    """Parameters
    ----------
    n_components : int or float or str or None, default=None
        Components to keep: a count (5), a share of the variance (90% or 0.9), as many as the rules of choose
        agree on (auto), or all. None is all; 'mle' is Minka's choice and 0 is none, as in scikit-learn.
    copy : bool, default=True
        Not needed: X is never changed.
    whiten : bool, default=False
        Divide scores by their standard deviation, so that each has variance 1.
    svd_solver : {'auto', 'full', 'covariance_eigh', 'arpack', 'randomized', 'covariance', 'partial', 'dual', 'qr', 'lanczos', 'sketch', 'power'}, default='auto'
        Another name for solver, with scikit-learn's words too: covariance_eigh is covariance, arpack is
        lanczos.
    tol : float, default=0.0
        Residual ‖Cv − λv‖ ÷ λ of every component at which iterative solvers stop [default: 1e-9, for f32 data
        1e-5]. 0.0 is that default, or rounding where scikit-learn's word for an iterative solver was given.
    iterated_power : int or {'auto'}, default='auto'
        Not needed: solvers stop at tol.
    n_oversamples : int, default=10
        Not needed: solvers stop at tol.
    power_iteration_normalizer : {'auto', 'QR', 'LU', 'none'}, default='auto'
        Not needed: solvers stop at tol.
    random_state : int or RandomState or None, default=None
        Seed of random starts; the same seed gives the same bits. None is 0.
    center : bool, default=True
        Subtract the column means first.
    convention : {'n-1', 'n'}, default='n-1'
        Divisor of a variance. 'n-1': n − 1: unbiased, as scikit-learn, R and MATLAB do; 'n': n: as FactoMineR
        does.
    missing : {'error', 'drop', 'mean', 'em'}, default='error'
        What to do with missing cells. 'error': Refuse them; 'drop': Leave out rows that have any; 'mean':
        Fill them with their column's mean; 'em': Fill them with what the other cells of their rows predict
        (probabilistic PCA, by EM).
    names : {'PC', 'pca', 'Dim', 'Component'}, default='pca'
        Names of the components. get_feature_names_out and figures use them. 'PC': PC1, PC2, …, as in R's
        prcomp; 'pca': pca0, pca1, …, as scikit-learn's get_feature_names_out; 'Dim': Dim.1, Dim.2, …, as in
        FactoMineR; 'Component': Component 1, Component 2, …, as in SPSS.
    scale : {'none', 'std', 'genotype'} or bool or None, default='none'
        Divide every column by its standard deviation (std), by that of an allele count (genotype), or by
        nothing (none). True is std. 'none': Nothing: columns keep their units (covariance PCA); 'std': Its
        standard deviation: every column counts the same (correlation PCA); 'genotype': √(2p(1 − p)) with p
        half the column's mean: counts of an allele (0, 1, 2), as geneticists scale them.
    sign : {'largest', 'sum'}, default='largest'
        Rule for the signs of components. 'largest': The entry of largest magnitude is positive, as in scikit-
        learn and MATLAB; 'sum': The sum of the entries is positive, as in FactoMineR; where it is zero, the
        entry of largest magnitude.
    solver : {'auto', 'covariance', 'partial', 'dual', 'qr', 'full', 'lanczos', 'randomized', 'sketch', 'power'}, default='auto'
        Solver that computes the eigenpairs. 'auto': The cheapest that is accurate enough; `plan` says which
        and why; 'covariance': All eigenpairs of the d × d covariance, one reading: for many rows; 'partial':
        Leading eigenpairs of the d × d covariance, one reading: for few components of many columns; 'dual':
        Eigenpairs of the n × n Gram matrix: for fewer rows than columns; 'qr': Triangular factor, one
        reading: for many rows, as accurate as full; 'full': Singular value decomposition of the data itself:
        the most accurate; 'lanczos': Thick-restart Lanczos on products with the data: for sparse data;
        'randomized': Block Krylov from a random start on products with the data: for few components of large
        dense data; 'sketch': Random sketches, one reading, approximate: for wide rows that come through a
        pipe; 'power': Power iteration with deflation, as lectures write it.
    n_jobs : int or None, default=None
        Threads, at most as many as there are cores; None or -1 are all cores, or OMP_NUM_THREADS. Never
        changes a result.
    memory : int or None, default=None
        Bytes that a fit may take beside the data; what needs more is refused.
    verbose : bool or int, default=False
        Whether a line on standard error says how far a fit has come, one per stage and second.
    callback : callable or None, default=None
        Called with the stage, the steps done and their number (None where it is not known) while a fit runs;
        what it raises, or True (eigenspan.Stopped), stops the fit.
    like : {'sklearn', 'R', 'MATLAB', 'FactoMineR', 'SPSS'} or None, default=None
        A program whose conventions are followed by the parameters that are left at their defaults: scale,
        whiten, convention, sign, names, missing and n_components.
    """

    _words = {
        "convention": ("n-1", "n",),
        "missing": ("error", "drop", "mean", "em",),
        "names": ("PC", "pca", "Dim", "Component",),
        "scale": ("none", "std", "genotype",),
        "sign": ("largest", "sum",),
        "solver": ("auto", "covariance", "partial", "dual", "qr", "full", "lanczos", "randomized", "sketch", "power",),
    }

    def __init__(
        self,
        n_components: int | float | str | None = None,
        *,
        copy: bool = True,
        whiten: bool = False,
        svd_solver: Literal["auto", "full", "covariance_eigh", "arpack", "randomized", "covariance", "partial", "dual", "qr", "lanczos", "sketch", "power"] = "auto",
        tol: float = 0.0,
        iterated_power: int | Literal["auto"] = "auto",
        n_oversamples: int = 10,
        power_iteration_normalizer: Literal["auto", "QR", "LU", "none"] = "auto",
        random_state: int | np.random.RandomState | None = None,
        center: bool = True,
        convention: Literal["n-1", "n"] = "n-1",
        missing: Literal["error", "drop", "mean", "em"] = "error",
        names: Literal["PC", "pca", "Dim", "Component"] = "pca",
        scale: Literal["none", "std", "genotype"] | bool | None = "none",
        sign: Literal["largest", "sum"] = "largest",
        solver: Literal["auto", "covariance", "partial", "dual", "qr", "full", "lanczos", "randomized", "sketch", "power"] = "auto",
        n_jobs: int | None = None,
        memory: int | None = None,
        verbose: bool | int = False,
        callback: Callback | None = None,
        like: Literal["sklearn", "R", "MATLAB", "FactoMineR", "SPSS"] | None = None,
    ) -> None:
        self.n_components = n_components
        self.copy = copy
        self.whiten = whiten
        self.svd_solver = svd_solver
        self.tol = tol
        self.iterated_power = iterated_power
        self.n_oversamples = n_oversamples
        self.power_iteration_normalizer = power_iteration_normalizer
        self.random_state = random_state
        self.center = center
        self.convention = convention
        self.missing = missing
        self.names = names
        self.scale = scale
        self.sign = sign
        self.solver = solver
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose
        self.callback = callback
        self.like = like


class KernelPCAParameters:
    """Parameters
    ----------
    n_components : int or float or str or None, default=None
        Components to keep: a count (5), a share of the variance in feature space (90% or 0.9), as many as the
        rules agree on (auto), or all. None is all that vary.
    kernel : str or Kernel or Callable[..., float], default='linear'
        Kernel: linear, poly(degree, gamma, coef0), rbf(gamma) or rbf(sigma), laplacian(gamma), tanh(gamma,
        coef0), cosine, matern(nu, length), rational_quadratic(alpha, length), chi2(gamma), precomputed; their
        sums, products and multiples, exp(…) and normalize(…). As text, as a value of eigenspan.kernels, or as
        a function of two rows.
    gamma : float or {'auto', 'scale', 'median'} or None, default=None
        Factor γ of kernels without a gamma of their own: a number, auto (1 ÷ columns), scale (1 ÷ columns ×
        variance) or median (of the distances). None is auto.
    degree : int, default=3
        Degree of kernel='poly'.
    coef0 : float, default=1.0
        What kernel='poly' and kernel='sigmoid' add to the inner product.
    kernel_params : dict[str, Any] or None, default=None
        Keywords for a kernel that is a function.
    alpha : float, default=1.0
        Ridge: penalty added to the diagonal; a larger one gives smoother rows.
    fit_inverse_transform : bool, default=False
        Whether inverse_transform is there.
    eigen_solver : {'auto', 'dense', 'arpack', 'randomized', 'full', 'lanczos'}, default='auto'
        Another name for solver, with scikit-learn's words too: dense is full, arpack is lanczos.
    tol : float, default=0.0
        Residual ‖Ku − λu‖ ÷ λ of every component at which iterative solvers stop [default: 1e-9, for f32 data
        1e-5]. 0.0 is that default, or rounding where scikit-learn's word for an iterative solver was given.
    max_iter : int or None, default=None
        Not needed: solvers stop at tol.
    iterated_power : int or {'auto'}, default='auto'
        Not needed: solvers stop at tol.
    remove_zero_eig : bool, default=False
        Whether components along which nothing varies are left out; with n_components=None they always are.
    random_state : int or RandomState or None, default=None
        Seed of random starts and of the draw of landmarks; the same seed gives the same bits. None is 0.
    copy_X : bool, default=True
        Not needed: X is never changed.
    n_jobs : int or None, default=None
        Threads, at most as many as there are cores; None or -1 are all cores, or OMP_NUM_THREADS. Never
        changes a result.
    approximate : {'auto', 'none', 'nystrom', 'fourier'}, default='auto'
        Whether features approximate the kernel matrix. 'auto': nystrom if the kernel matrix would not fit the
        memory or take too long, or if a number of landmarks is given; otherwise none; 'none': Eigenpairs of
        the kernel matrix itself; 'nystrom': Nyström: some rows (landmarks) stand for all, with a bound on the
        error; 'fourier': Random Fourier features, for rbf, laplacian and matern.
    landmarks : {'uniform', 'kmeans', 'leverage'}, default='kmeans'
        How landmarks are drawn. 'uniform': Every row with the same probability; 'kmeans': Far from each other
        in feature space (k-means++), among ten times as many uniform ones; 'leverage': By ridge leverage
        scores, in one more reading: rows unlike the others are drawn with larger probability.
    missing : {'error', 'drop', 'mean'}, default='error'
        What to do with missing cells: refuse them (error), leave out their rows (drop), or fill them with
        their column's mean (mean).
    n_landmarks : int or None, default=None
        Number of landmarks (nystrom) or random features (fourier) [default: 2000, fewer if they do not fit
        the memory].
    negative : {'auto', 'clip', 'flip', 'shift', 'error'}, default='auto'
        What to do with negative eigenvalues, if a kernel is not positive semi-definite. 'auto' is 'clip', and
        refuses them among the components asked for, as scikit-learn does. 'clip': Set them to zero; 'flip':
        Take their magnitude; 'shift': Add the magnitude of the smallest to all; 'error': Refuse them.
    scale : {'none', 'std', 'genotype'} or bool or None, default='none'
        Center every column and divide it by its standard deviation (std) or that of an allele count
        (genotype), or leave rows as they are (none). True is std.
    sign : {'largest', 'sum'}, default='largest'
        Rule for the signs of components, applied to their eigenvectors. 'largest': The entry of largest
        magnitude is positive, as in scikit-learn and MATLAB; 'sum': The sum of the entries is positive, as in
        FactoMineR; where it is zero, the entry of largest magnitude.
    solver : {'auto', 'full', 'randomized', 'lanczos'}, default='auto'
        Solver: auto, full (without iterations), randomized or lanczos (the leading ones, by products with the
        kernel matrix).
    pre_image_max_iter : int, default=1000
        Fixed point: largest number of steps; an iteration that has not converged by then gets a note.
    pre_image : {'auto', 'fixed-point', 'ridge', 'distances'}, default='ridge'
        How rows are computed from scores. 'auto': fixed-point for the Gaussian kernel, ridge for others;
        'fixed-point': Fixed point of Mika et al. 1999, for the Gaussian kernel; 'ridge': Kernel ridge
        regression from scores to rows, as scikit-learn does; 'distances': Distances to the nearest training
        rows, as Kwok and Tsang 2004.
    n_neighbors : int, default=10
        Distances: number of nearest training rows used.
    memory : int or None, default=None
        Bytes that a fit may take beside the data; what needs more is refused.
    verbose : bool or int, default=False
        Whether a line on standard error says how far a fit has come, one per stage and second.
    callback : callable or None, default=None
        Called with the stage, the steps done and their number (None where it is not known) while a fit runs;
        what it raises, or True (eigenspan.Stopped), stops the fit.
    """

    _words = {
        "approximate": ("auto", "none", "nystrom", "fourier",),
        "landmarks": ("uniform", "kmeans", "leverage",),
        "negative": ("clip", "flip", "shift", "error",),
        "sign": ("largest", "sum",),
        "pre_image": ("auto", "fixed-point", "ridge", "distances",),
    }

    def __init__(
        self,
        n_components: int | float | str | None = None,
        *,
        kernel: str | Kernel | Callable[..., float] = "linear",
        gamma: float | Literal["auto", "scale", "median"] | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        kernel_params: dict[str, Any] | None = None,
        alpha: float = 1.0,
        fit_inverse_transform: bool = False,
        eigen_solver: Literal["auto", "dense", "arpack", "randomized", "full", "lanczos"] = "auto",
        tol: float = 0.0,
        max_iter: int | None = None,
        iterated_power: int | Literal["auto"] = "auto",
        remove_zero_eig: bool = False,
        random_state: int | np.random.RandomState | None = None,
        copy_X: bool = True,
        n_jobs: int | None = None,
        approximate: Literal["auto", "none", "nystrom", "fourier"] = "auto",
        landmarks: Literal["uniform", "kmeans", "leverage"] = "kmeans",
        missing: Literal["error", "drop", "mean"] = "error",
        n_landmarks: int | None = None,
        negative: Literal["auto", "clip", "flip", "shift", "error"] = "auto",
        scale: Literal["none", "std", "genotype"] | bool | None = "none",
        sign: Literal["largest", "sum"] = "largest",
        solver: Literal["auto", "full", "randomized", "lanczos"] = "auto",
        pre_image_max_iter: int = 1000,
        pre_image: Literal["auto", "fixed-point", "ridge", "distances"] = "ridge",
        n_neighbors: int = 10,
        memory: int | None = None,
        verbose: bool | int = False,
        callback: Callback | None = None,
    ) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.alpha = alpha
        self.fit_inverse_transform = fit_inverse_transform
        self.eigen_solver = eigen_solver
        self.tol = tol
        self.max_iter = max_iter
        self.iterated_power = iterated_power
        self.remove_zero_eig = remove_zero_eig
        self.random_state = random_state
        self.copy_X = copy_X
        self.n_jobs = n_jobs
        self.approximate = approximate
        self.landmarks = landmarks
        self.missing = missing
        self.n_landmarks = n_landmarks
        self.negative = negative
        self.scale = scale
        self.sign = sign
        self.solver = solver
        self.pre_image_max_iter = pre_image_max_iter
        self.pre_image = pre_image
        self.n_neighbors = n_neighbors
        self.memory = memory
        self.verbose = verbose
        self.callback = callback


class LinearDiscriminantAnalysisParameters:
    """Parameters
    ----------
    solver : {'svd', 'lsqr', 'eigen'}, default='svd'
        How discriminants are computed. 'svd' works in the span of the rows within their classes, for rows of
        any rank; 'eigen' solves with the covariances, with or without shrinkage; 'lsqr' does the same and
        only predicts.
    shrinkage : float or {'auto'} or None, default=None
        How far covariances are drawn towards a multiple of the identity: not at all (none), as far as Ledoit
        and Wolf estimate (auto), or by a share from 0 to 1. None is none; not with solver='svd'.
    priors : np.ndarray[Any, Any] or list[float] or None, default=None
        Probability of each class before a row is seen, in the order of the classes (numbers by size, words by
        the alphabet); they sum to 1 [default: the classes' shares of the rows].
    n_components : int or float or str or None, default=None
        Discriminants to keep: a count (at most one fewer than there are classes), a share of the variance
        between classes (90% or 0.9), or all. None is all.
    store_covariance : bool, default=False
        Keep the covariance within classes in the model.
    tol : float, default=0.0001
        Rows vary along a direction if their standard deviation there exceeds this share of that of a column,
        all columns scaled alike (solver svd).
    covariance_estimator : None, default=None
        Not supported: covariances are those of the rows, with or without shrinkage.
    missing : {'error', 'drop', 'mean'}, default='error'
        What to do with missing cells: refuse them (error), leave out their rows (drop), or fill them with
        their column's mean (mean).
    sign : {'largest', 'sum'}, default='largest'
        Rule for the signs of discriminants. 'largest': The entry of largest magnitude is positive, as in
        scikit-learn and MATLAB; 'sum': The sum of the entries is positive, as in FactoMineR; where it is
        zero, the entry of largest magnitude.
    n_jobs : int or None, default=None
        Threads, at most as many as there are cores; None or -1 are all cores, or OMP_NUM_THREADS. Never
        changes a result.
    memory : int or None, default=None
        Bytes that a fit may take beside the data; what needs more is refused.
    verbose : bool or int, default=False
        Whether a line on standard error says how far a fit has come, one per stage and second.
    callback : callable or None, default=None
        Called with the stage, the steps done and their number (None where it is not known) while a fit runs;
        what it raises, or True (eigenspan.Stopped), stops the fit.
    """

    _words = {
        "sign": ("largest", "sum",),
    }

    def __init__(
        self,
        solver: Literal["svd", "lsqr", "eigen"] = "svd",
        shrinkage: float | Literal["auto"] | None = None,
        priors: np.ndarray[Any, Any] | list[float] | None = None,
        n_components: int | float | str | None = None,
        *,
        store_covariance: bool = False,
        tol: float = 0.0001,
        covariance_estimator: None = None,
        missing: Literal["error", "drop", "mean"] = "error",
        sign: Literal["largest", "sum"] = "largest",
        n_jobs: int | None = None,
        memory: int | None = None,
        verbose: bool | int = False,
        callback: Callback | None = None,
    ) -> None:
        self.solver = solver
        self.shrinkage = shrinkage
        self.priors = priors
        self.n_components = n_components
        self.store_covariance = store_covariance
        self.tol = tol
        self.covariance_estimator = covariance_estimator
        self.missing = missing
        self.sign = sign
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose
        self.callback = callback


class QuadraticDiscriminantAnalysisParameters:
    """Parameters
    ----------
    solver : {'svd', 'eigen'}, default='svd'
        Which parameter regularizes covariances: with 'svd' it is reg_param, with 'eigen' shrinkage.
    shrinkage : float or {'auto'} or None, default=None
        How far covariances are drawn towards a multiple of the identity: not at all (none), as far as Ledoit
        and Wolf estimate (auto), or by a share from 0 to 1. None is none; with solver='eigen' alone.
    priors : np.ndarray[Any, Any] or list[float] or None, default=None
        Probability of each class before a row is seen, in the order of the classes (numbers by size, words by
        the alphabet); they sum to 1 [default: the classes' shares of the rows].
    reg_param : float, default=0.0
        Share s from 0 to 1 by which every covariance C becomes (1 − s)·C + s·I, in the units of the columns.
    store_covariance : bool, default=False
        Whether covariance_ is there.
    tol : float, default=0.0001
        Variance below which a direction counts as one in which a class does not vary, in the units of the
        columns; where none is given, rounding decides.
    covariance_estimator : None, default=None
        Not supported: covariances are those of the rows, with or without shrinkage.
    missing : {'error', 'drop', 'mean'}, default='error'
        What to do with missing cells: refuse them (error), leave out their rows (drop), or fill them with
        their column's mean (mean).
    n_jobs : int or None, default=None
        Threads, at most as many as there are cores; None or -1 are all cores, or OMP_NUM_THREADS. Never
        changes a result.
    memory : int or None, default=None
        Bytes that a fit may take beside the data; what needs more is refused.
    verbose : bool or int, default=False
        Whether a line on standard error says how far a fit has come, one per stage and second.
    callback : callable or None, default=None
        Called with the stage, the steps done and their number (None where it is not known) while a fit runs;
        what it raises, or True (eigenspan.Stopped), stops the fit.
    """

    def __init__(
        self,
        solver: Literal["svd", "eigen"] = "svd",
        shrinkage: float | Literal["auto"] | None = None,
        priors: np.ndarray[Any, Any] | list[float] | None = None,
        reg_param: float = 0.0,
        store_covariance: bool = False,
        tol: float = 0.0001,
        covariance_estimator: None = None,
        missing: Literal["error", "drop", "mean"] = "error",
        n_jobs: int | None = None,
        memory: int | None = None,
        verbose: bool | int = False,
        callback: Callback | None = None,
    ) -> None:
        self.solver = solver
        self.shrinkage = shrinkage
        self.priors = priors
        self.reg_param = reg_param
        self.store_covariance = store_covariance
        self.tol = tol
        self.covariance_estimator = covariance_estimator
        self.missing = missing
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose
        self.callback = callback


class RandomProjectionParameters:
    """Parameters
    ----------
    n_components : int or float or str or None, default=None
        Directions to draw: a count, or as many as keep all squared distances within 1 ± eps by the bound of
        Johnson and Lindenstrauss (auto). None is all.
    density : float or None, default=None
        Share of the entries of sparse directions that are not zero, above 0 and at most 1 [default: 1 ÷
        √columns].
    entries : {'gaussian', 'sparse'}, default='gaussian'
        What the entries of the directions are. 'gaussian': Normal, with mean 0 and variance 1 ÷ components;
        'sparse': Mostly zero, the others of equal size and random sign.
    eps : float, default=0.1
        How much squared distances may change, as a share: above 0 and below 1; it sets the count of auto, and
        what is said of the distances.
    random_state : int or RandomState or None, default=None
        Seed of the directions and of the pairs that are measured; the same seed gives the same bits. None is
        0.
    n_jobs : int or None, default=None
        Threads, at most as many as there are cores; None or -1 are all cores, or OMP_NUM_THREADS. Never
        changes a result.
    memory : int or None, default=None
        Bytes that a fit may take beside the data; what needs more is refused.
    verbose : bool or int, default=False
        Whether a line on standard error says how far a fit has come, one per stage and second.
    callback : callable or None, default=None
        Called with the stage, the steps done and their number (None where it is not known) while a fit runs;
        what it raises, or True (eigenspan.Stopped), stops the fit.
    """

    _words = {
        "entries": ("gaussian", "sparse",),
    }

    def __init__(
        self,
        n_components: int | float | str | None = None,
        *,
        density: float | None = None,
        entries: Literal["gaussian", "sparse"] = "gaussian",
        eps: float = 0.1,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        memory: int | None = None,
        verbose: bool | int = False,
        callback: Callback | None = None,
    ) -> None:
        self.n_components = n_components
        self.density = density
        self.entries = entries
        self.eps = eps
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose
        self.callback = callback


class SelectColumnsParameters:
    """Parameters
    ----------
    n_components : int or float or str or None, default=None
        Columns to keep, the first in the order of the rule: a count (5), as many as explain a share of the
        variance (90% or 0.9), or all that pass the rule (all). None is all.
    by : {'variance', 'correlation', 'anova', 'mutual-information', 'principal-features'}, default='principal-features'
        Rule by which columns are chosen. 'variance': The largest variances; 'correlation': The largest
        variances, without columns that are correlated with a kept one above the threshold; 'anova': The
        largest F statistic: means that differ most between the classes, relative to the variance within them;
        'mutual-information': The largest mutual information with the classes; 'principal-features': One after
        the other the column that adds most to the variance explained by those kept.
    missing : {'error', 'drop', 'mean'}, default='error'
        What to do with missing cells: refuse them (error), leave out their rows (drop), or fill them with
        their column's mean (mean).
    n_neighbors : int, default=3
        Neighbors by which mutual information is estimated.
    scale : {'none', 'std', 'genotype'} or bool or None, default='none'
        Whether shares of variance are those of columns with variance 1 (std) or of columns in their own units
        (none). True is std. 'none': Nothing: columns keep their units (covariance PCA); 'std': Its standard
        deviation: every column counts the same (correlation PCA); 'genotype': √(2p(1 − p)) with p half the
        column's mean: counts of an allele (0, 1, 2), as geneticists scale them.
    random_state : int or RandomState or None, default=None
        Seed of the noise (1e-10 of a standard deviation) that tells equal values apart for mutual
        information. None is 0.
    threshold : float or None, default=None
        Limit of the rule: the correlation with a kept column up to which columns pass [default: 0.9], or the
        variance, F or mutual information above which they do [default: all that vary]; principal-features has
        none.
    n_jobs : int or None, default=None
        Threads, at most as many as there are cores; None or -1 are all cores, or OMP_NUM_THREADS. Never
        changes a result.
    memory : int or None, default=None
        Bytes that a fit may take beside the data; what needs more is refused.
    verbose : bool or int, default=False
        Whether a line on standard error says how far a fit has come, one per stage and second.
    callback : callable or None, default=None
        Called with the stage, the steps done and their number (None where it is not known) while a fit runs;
        what it raises, or True (eigenspan.Stopped), stops the fit.
    """

    _words = {
        "by": ("variance", "correlation", "anova", "mutual-information", "principal-features",),
        "scale": ("none", "std", "genotype",),
    }

    def __init__(
        self,
        n_components: int | float | str | None = None,
        *,
        by: Literal["variance", "correlation", "anova", "mutual-information", "principal-features"] = "principal-features",
        missing: Literal["error", "drop", "mean"] = "error",
        n_neighbors: int = 3,
        scale: Literal["none", "std", "genotype"] | bool | None = "none",
        random_state: int | np.random.RandomState | None = None,
        threshold: float | None = None,
        n_jobs: int | None = None,
        memory: int | None = None,
        verbose: bool | int = False,
        callback: Callback | None = None,
    ) -> None:
        self.n_components = n_components
        self.by = by
        self.missing = missing
        self.n_neighbors = n_neighbors
        self.scale = scale
        self.random_state = random_state
        self.threshold = threshold
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose
        self.callback = callback


class MdsParameters:
    """Parameters
    ----------
    n_components : int, default=2
        Dimensions of the places.
    criterion : {'classical', 'metric', 'nonmetric'}, default='classical'
        What places are chosen by. 'classical': Inner products: the leading eigenpairs of the centered squared
        distances; 'metric': Stress: distances as near as can be to those given (SMACOF); 'nonmetric': Stress
        with the order of the distances alone (SMACOF with isotonic regression).
    distances : {'euclidean', 'manhattan', 'precomputed'}, default='euclidean'
        Distances of the rows, or that the table is their matrix. 'euclidean': The root of the sum of squared
        differences; 'manhattan': The sum of absolute differences; 'precomputed': The table is the matrix of
        distances.
    max_iterations : int, default=300
        Most steps of SMACOF from each start.
    missing : {'error', 'drop', 'mean'}, default='error'
        What to do with missing cells: refuse them (error), leave out their rows (drop), or fill them with
        their column's mean (mean).
    n_starts : int, default=1
        Starts of SMACOF, of which the result with the smallest stress is kept.
    scale : {'none', 'std', 'genotype'} or bool or None, default='none'
        Divide every column by its standard deviation (std), or leave columns in their own units (none). True
        is std. 'none': Nothing: columns keep their units (covariance PCA); 'std': Its standard deviation:
        every column counts the same (correlation PCA); 'genotype': √(2p(1 − p)) with p half the column's
        mean: counts of an allele (0, 1, 2), as geneticists scale them.
    random_state : int or RandomState or None, default=None
        Seed of random starts; the same seed gives the same bits. None is 0.
    start : {'classical', 'random'}, default='classical'
        Where SMACOF begins. 'classical': At the places of classical scaling; further starts are random;
        'random': At random places.
    tol : float, default=0.0
        SMACOF has converged when a step lowers the stress by less than this share of the sum of squared
        distances. 0.0 is that default, or rounding where scikit-learn's word for an iterative solver was
        given.
    n_jobs : int or None, default=None
        Threads, at most as many as there are cores; None or -1 are all cores, or OMP_NUM_THREADS. Never
        changes a result.
    memory : int or None, default=None
        Bytes that a fit may take beside the data; what needs more is refused.
    verbose : bool or int, default=False
        Whether a line on standard error says how far a fit has come, one per stage and second.
    callback : callable or None, default=None
        Called with the stage, the steps done and their number (None where it is not known) while a fit runs;
        what it raises, or True (eigenspan.Stopped), stops the fit.
    """

    _words = {
        "criterion": ("classical", "metric", "nonmetric",),
        "distances": ("euclidean", "manhattan", "precomputed",),
        "scale": ("none", "std", "genotype",),
        "start": ("classical", "random",),
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        criterion: Literal["classical", "metric", "nonmetric"] = "classical",
        distances: Literal["euclidean", "manhattan", "precomputed"] = "euclidean",
        max_iterations: int = 300,
        missing: Literal["error", "drop", "mean"] = "error",
        n_starts: int = 1,
        scale: Literal["none", "std", "genotype"] | bool | None = "none",
        random_state: int | np.random.RandomState | None = None,
        start: Literal["classical", "random"] = "classical",
        tol: float = 0.0,
        n_jobs: int | None = None,
        memory: int | None = None,
        verbose: bool | int = False,
        callback: Callback | None = None,
    ) -> None:
        self.n_components = n_components
        self.criterion = criterion
        self.distances = distances
        self.max_iterations = max_iterations
        self.missing = missing
        self.n_starts = n_starts
        self.scale = scale
        self.random_state = random_state
        self.start = start
        self.tol = tol
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose
        self.callback = callback


class IsomapParameters:
    """Parameters
    ----------
    n_components : int, default=2
        Dimensions of the places.
    algorithm : {'auto', 'exact', 'approximate'}, default='auto'
        How neighbors are looked for. 'auto': Exact where that takes seconds, else approximate; 'exact': All
        rows are compared with all others; 'approximate': Random trees, then NN-descent: rows are compared
        with the neighbors of their neighbors.
    eigenvalues : {'auto', 'leading', 'all'} or None, default=None
        Which eigenvalues are computed: shares need all of them. Without it, the leading ones; on the command
        line, auto. 'auto': All of up to 4096 rows or landmarks, else the leading ones; 'leading': Those of
        the places; all of up to 512 rows or landmarks; 'all': All, in 4/3·n³ operations.
    metric : {'euclidean', 'cosine', 'manhattan', 'correlation', 'hamming'}, default='euclidean'
        How far two rows are from each other. 'euclidean': √Σ(xⱼ − yⱼ)²; 'cosine': 1 − xᵀy/(‖x‖‖y‖): the angle
        between rows, whatever their lengths; 'manhattan': Σ|xⱼ − yⱼ|; 'correlation': 1 − the correlation of
        the cells of two rows: cosine, once each row's own mean is subtracted; 'hamming': The share of columns
        in which two rows differ.
    n_landmarks : int or None, default=None
        Rows drawn as landmarks, from which alone geodesics are computed; without it, from all rows.
    n_neighbors : int, default=10
        Neighbors of each row, to which it is linked; the row itself is not one of them.
    pieces : {'join', 'refuse'}, default='join'
        What is done where the graph of neighbors is in several pieces. 'join': Join every two pieces by a
        link between their nearest rows, with a note; 'refuse': Refuse such a graph.
    scale : {'none', 'std', 'genotype'} or bool or None, default='none'
        Divide every column by its standard deviation (std), or leave columns in their own units (none). True
        is std. 'none': Nothing: columns keep their units (covariance PCA); 'std': Its standard deviation:
        every column counts the same (correlation PCA); 'genotype': √(2p(1 − p)) with p half the column's
        mean: counts of an allele (0, 1, 2), as geneticists scale them.
    random_state : int or RandomState or None, default=None
        Seed of the landmarks, of an approximate search for neighbors and of the eigenpairs' start; the same
        seed gives the same bits. None is 0.
    n_jobs : int or None, default=None
        Threads, at most as many as there are cores; None or -1 are all cores, or OMP_NUM_THREADS. Never
        changes a result.
    memory : int or None, default=None
        Bytes that a fit may take beside the data; what needs more is refused.
    verbose : bool or int, default=False
        Whether a line on standard error says how far a fit has come, one per stage and second.
    callback : callable or None, default=None
        Called with the stage, the steps done and their number (None where it is not known) while a fit runs;
        what it raises, or True (eigenspan.Stopped), stops the fit.
    """

    _words = {
        "algorithm": ("auto", "exact", "approximate",),
        "eigenvalues": ("auto", "leading", "all",),
        "metric": ("euclidean", "cosine", "manhattan", "correlation", "hamming",),
        "pieces": ("join", "refuse",),
        "scale": ("none", "std", "genotype",),
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        algorithm: Literal["auto", "exact", "approximate"] = "auto",
        eigenvalues: Literal["auto", "leading", "all"] | None = None,
        metric: Literal["euclidean", "cosine", "manhattan", "correlation", "hamming"] = "euclidean",
        n_landmarks: int | None = None,
        n_neighbors: int = 10,
        pieces: Literal["join", "refuse"] = "join",
        scale: Literal["none", "std", "genotype"] | bool | None = "none",
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        memory: int | None = None,
        verbose: bool | int = False,
        callback: Callback | None = None,
    ) -> None:
        self.n_components = n_components
        self.algorithm = algorithm
        self.eigenvalues = eigenvalues
        self.metric = metric
        self.n_landmarks = n_landmarks
        self.n_neighbors = n_neighbors
        self.pieces = pieces
        self.scale = scale
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose
        self.callback = callback


class LaplacianParameters:
    """Parameters
    ----------
    n_components : int, default=2
        Dimensions of the places.
    affinity : {'nearest-neighbors', 'rbf', 'precomputed'}, default='nearest-neighbors'
        Which affinities rows have. 'nearest-neighbors': 1 between two rows that are neighbors of each other,
        ½ where one is a neighbor of the other, else 0; 'rbf': exp(−γ‖x − y‖²) between all rows;
        'precomputed': The table is the matrix of affinities.
    algorithm : {'auto', 'exact', 'approximate'}, default='auto'
        How neighbors are looked for. 'auto': Exact where that takes seconds, else approximate; 'exact': All
        rows are compared with all others; 'approximate': Random trees, then NN-descent: rows are compared
        with the neighbors of their neighbors.
    gamma : str, default='auto'
        γ of the Gaussian kernel: a number above 0, auto (1 ÷ columns), scale or median.
    metric : {'euclidean', 'cosine', 'manhattan', 'correlation', 'hamming'}, default='euclidean'
        How far two rows are from each other, where neighbors are looked for. 'euclidean': √Σ(xⱼ − yⱼ)²;
        'cosine': 1 − xᵀy/(‖x‖‖y‖): the angle between rows, whatever their lengths; 'manhattan': Σ|xⱼ − yⱼ|;
        'correlation': 1 − the correlation of the cells of two rows: cosine, once each row's own mean is
        subtracted; 'hamming': The share of columns in which two rows differ.
    n_neighbors : int, default=10
        Neighbors of each row; the row itself is not one of them.
    pieces : {'join', 'refuse'}, default='join'
        What is done where the graph of neighbors is in several pieces. 'join': Join every two pieces by a
        link between their nearest rows, with a note; 'refuse': Refuse such a graph.
    scale : {'none', 'std', 'genotype'} or bool or None, default='none'
        Divide every column by its standard deviation, or leave columns in their own units. True is std.
        'none': Nothing: columns keep their units (covariance PCA); 'std': Its standard deviation: every
        column counts the same (correlation PCA); 'genotype': √(2p(1 − p)) with p half the column's mean:
        counts of an allele (0, 1, 2), as geneticists scale them.
    random_state : int or RandomState or None, default=None
        Seed of the random start and of an approximate search for neighbors; the same seed gives the same
        bits. None is 0.
    tol : float, default=0.0
        Largest residual ‖Sv − θv‖ of an eigenvector, where the iteration ends. 0.0 is that default, or
        rounding where scikit-learn's word for an iterative solver was given.
    n_jobs : int or None, default=None
        Threads, at most as many as there are cores; None or -1 are all cores, or OMP_NUM_THREADS. Never
        changes a result.
    memory : int or None, default=None
        Bytes that a fit may take beside the data; what needs more is refused.
    verbose : bool or int, default=False
        Whether a line on standard error says how far a fit has come, one per stage and second.
    callback : callable or None, default=None
        Called with the stage, the steps done and their number (None where it is not known) while a fit runs;
        what it raises, or True (eigenspan.Stopped), stops the fit.
    """

    _words = {
        "affinity": ("nearest-neighbors", "rbf", "precomputed",),
        "algorithm": ("auto", "exact", "approximate",),
        "metric": ("euclidean", "cosine", "manhattan", "correlation", "hamming",),
        "pieces": ("join", "refuse",),
        "scale": ("none", "std", "genotype",),
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        affinity: Literal["nearest-neighbors", "rbf", "precomputed"] = "nearest-neighbors",
        algorithm: Literal["auto", "exact", "approximate"] = "auto",
        gamma: str = "auto",
        metric: Literal["euclidean", "cosine", "manhattan", "correlation", "hamming"] = "euclidean",
        n_neighbors: int = 10,
        pieces: Literal["join", "refuse"] = "join",
        scale: Literal["none", "std", "genotype"] | bool | None = "none",
        random_state: int | np.random.RandomState | None = None,
        tol: float = 0.0,
        n_jobs: int | None = None,
        memory: int | None = None,
        verbose: bool | int = False,
        callback: Callback | None = None,
    ) -> None:
        self.n_components = n_components
        self.affinity = affinity
        self.algorithm = algorithm
        self.gamma = gamma
        self.metric = metric
        self.n_neighbors = n_neighbors
        self.pieces = pieces
        self.scale = scale
        self.random_state = random_state
        self.tol = tol
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose
        self.callback = callback


class LleParameters:
    """Parameters
    ----------
    n_components : int, default=2
        Dimensions of the places.
    algorithm : {'auto', 'exact', 'approximate'}, default='auto'
        How neighbors are looked for. 'auto': Exact where that takes seconds, else approximate; 'exact': All
        rows are compared with all others; 'approximate': Random trees, then NN-descent: rows are compared
        with the neighbors of their neighbors.
    hessian_tolerance : float, default=0.0001
        Hessian: columns of weights whose sum is below this are not divided by it.
    hessian_weights : {'all', 'products'}, default='all'
        Hessian: which weights second derivatives are seen by; with as few neighbors as possible both are the
        same. 'all': All weights orthogonal to the constant and to the coordinates, as in scikit-learn; the
        blocks are then those of LTSA; 'products': Those of them within the span of the products of any two
        coordinates, as in the paper.
    modified_tolerance : float, default=1e-12
        Modified: a reflection by a vector shorter than this is left out.
    n_neighbors : int, default=10
        Neighbors of each row; the row itself is not one of them.
    pieces : {'join', 'refuse'}, default='join'
        What is done where the graph of neighbors is in several pieces. 'join': Join every two pieces by a
        link between their nearest rows, with a note; 'refuse': Refuse such a graph.
    regularization : float, default=0.001
        What is added to the diagonal of a neighborhood's Gram matrix, as a share of its trace.
    scale : {'none', 'std', 'genotype'} or bool or None, default='none'
        Divide every column by its standard deviation, or leave columns in their own units. True is std.
        'none': Nothing: columns keep their units (covariance PCA); 'std': Its standard deviation: every
        column counts the same (correlation PCA); 'genotype': √(2p(1 − p)) with p half the column's mean:
        counts of an allele (0, 1, 2), as geneticists scale them.
    random_state : int or RandomState or None, default=None
        Seed of an approximate search for neighbors; the same seed gives the same bits. None is 0.
    variant : {'standard', 'modified', 'hessian', 'ltsa'}, default='standard'
        What is kept of each neighborhood. 'standard': The weights that write a row by its neighbors;
        'modified': Several weight vectors for each row, as many as its neighborhood has directions to spare;
        'hessian': Second derivatives along the neighborhood's leading directions; 'ltsa': Local tangent
        spaces, aligned.
    n_jobs : int or None, default=None
        Threads, at most as many as there are cores; None or -1 are all cores, or OMP_NUM_THREADS. Never
        changes a result.
    memory : int or None, default=None
        Bytes that a fit may take beside the data; what needs more is refused.
    verbose : bool or int, default=False
        Whether a line on standard error says how far a fit has come, one per stage and second.
    callback : callable or None, default=None
        Called with the stage, the steps done and their number (None where it is not known) while a fit runs;
        what it raises, or True (eigenspan.Stopped), stops the fit.
    """

    _words = {
        "algorithm": ("auto", "exact", "approximate",),
        "hessian_weights": ("all", "products",),
        "pieces": ("join", "refuse",),
        "scale": ("none", "std", "genotype",),
        "variant": ("standard", "modified", "hessian", "ltsa",),
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        algorithm: Literal["auto", "exact", "approximate"] = "auto",
        hessian_tolerance: float = 0.0001,
        hessian_weights: Literal["all", "products"] = "all",
        modified_tolerance: float = 1e-12,
        n_neighbors: int = 10,
        pieces: Literal["join", "refuse"] = "join",
        regularization: float = 0.001,
        scale: Literal["none", "std", "genotype"] | bool | None = "none",
        random_state: int | np.random.RandomState | None = None,
        variant: Literal["standard", "modified", "hessian", "ltsa"] = "standard",
        n_jobs: int | None = None,
        memory: int | None = None,
        verbose: bool | int = False,
        callback: Callback | None = None,
    ) -> None:
        self.n_components = n_components
        self.algorithm = algorithm
        self.hessian_tolerance = hessian_tolerance
        self.hessian_weights = hessian_weights
        self.modified_tolerance = modified_tolerance
        self.n_neighbors = n_neighbors
        self.pieces = pieces
        self.regularization = regularization
        self.scale = scale
        self.random_state = random_state
        self.variant = variant
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose
        self.callback = callback


class DiffusionParameters:
    """Parameters
    ----------
    n_components : int, default=2
        Dimensions of the places.
    alpha : float, default=1.0
        How far the density of the rows is divided out: 0 not at all, 1 wholly.
    diffusion_time : float, default=1.0
        Steps of the random walk; need not be whole.
    gamma : str, default='median'
        γ of the Gaussian kernel: a number above 0, median (½ ÷ the squared median distance of rows), auto (1
        ÷ columns) or scale.
    scale : {'none', 'std', 'genotype'} or bool or None, default='none'
        Divide every column by its standard deviation, or leave columns in their own units. True is std.
        'none': Nothing: columns keep their units (covariance PCA); 'std': Its standard deviation: every
        column counts the same (correlation PCA); 'genotype': √(2p(1 − p)) with p half the column's mean:
        counts of an allele (0, 1, 2), as geneticists scale them.
    random_state : int or RandomState or None, default=None
        Seed of the random start; the same seed gives the same bits. None is 0.
    tol : float, default=0.0
        Largest residual ‖Sv − λv‖ of an eigenvector, where the iteration ends. 0.0 is that default, or
        rounding where scikit-learn's word for an iterative solver was given.
    n_jobs : int or None, default=None
        Threads, at most as many as there are cores; None or -1 are all cores, or OMP_NUM_THREADS. Never
        changes a result.
    memory : int or None, default=None
        Bytes that a fit may take beside the data; what needs more is refused.
    verbose : bool or int, default=False
        Whether a line on standard error says how far a fit has come, one per stage and second.
    callback : callable or None, default=None
        Called with the stage, the steps done and their number (None where it is not known) while a fit runs;
        what it raises, or True (eigenspan.Stopped), stops the fit.
    """

    _words = {
        "scale": ("none", "std", "genotype",),
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        alpha: float = 1.0,
        diffusion_time: float = 1.0,
        gamma: str = "median",
        scale: Literal["none", "std", "genotype"] | bool | None = "none",
        random_state: int | np.random.RandomState | None = None,
        tol: float = 0.0,
        n_jobs: int | None = None,
        memory: int | None = None,
        verbose: bool | int = False,
        callback: Callback | None = None,
    ) -> None:
        self.n_components = n_components
        self.alpha = alpha
        self.diffusion_time = diffusion_time
        self.gamma = gamma
        self.scale = scale
        self.random_state = random_state
        self.tol = tol
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose
        self.callback = callback
