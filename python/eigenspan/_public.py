"""The public names that need scikit-learn, a line for each module: the one list of estimators. They are imported together when the first
of them is asked for, and each estimator then registers itself for :func:`eigenspan.load`."""

from ._describe import choose as choose, denoise as denoise, describe as describe
from ._evaluate import evaluate as evaluate
from ._files import load as load, read as read
from ._incremental import IncrementalPCA as IncrementalPCA
from ._isomap import Isomap as Isomap
from ._kernel_pca import KernelPCA as KernelPCA
from ._lda import LinearDiscriminantAnalysis as LinearDiscriminantAnalysis
from ._neighbors import KNeighborsTransformer as KNeighborsTransformer, NearestNeighbors as NearestNeighbors
from ._pca import PCA as PCA
from ._qda import QuadraticDiscriminantAnalysis as QuadraticDiscriminantAnalysis
from ._mds import MDS as MDS, ClassicalMDS as ClassicalMDS
from ._random_projection import (
    GaussianRandomProjection as GaussianRandomProjection,
    SparseRandomProjection as SparseRandomProjection,
    johnson_lindenstrauss_min_dim as johnson_lindenstrauss_min_dim,
)
from ._select import SelectColumns as SelectColumns
from ._spectral import DiffusionMap as DiffusionMap, LocallyLinearEmbedding as LocallyLinearEmbedding, SpectralEmbedding as SpectralEmbedding
from ._truncated import TruncatedSVD as TruncatedSVD
from ._tune import tune as tune
