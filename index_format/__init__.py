"""The on-disk index: segments, manifest, snapshot, compactor. FORMAT.md specifies the bytes.

The package knows nothing of repositories, languages or protocols. Others use only the names listed here.
"""

from index_format.adopted_segments import AdoptedSegments
from index_format.block_lists import BOUND_SCALE, SATURATION_B, SATURATION_K1, BlockList, Escapes
from index_format.checksum import compute_fingerprint
from index_format.chunks import ChunkSpan, UnitSpan, compute_chunk_id
from index_format.compactor import Merge, merge_segments
from index_format.directory import Directory, DirectoryHolder, MakeTag, ReadableFile, WritableFile, new_file
from index_format.disk_directory import DiskDirectory, DiskFile
from index_format.doc_id_map import number_languages
from index_format.dump import iter_dump, iter_stats
from index_format.errors import (
    CorruptIndex,
    IndexForeign,
    IndexFormatError,
    IndexLocked,
    IndexTooNew,
    IndexTooOld,
)
from index_format.files import FLAGS, SIZE, FilesReader
from index_format.frame import VERSION
from index_format.manifest import MANIFEST, ManifestReader, copy_manifest, read_manifest, read_sealed_manifest
from index_format.memory_directory import MemoryDirectory
from index_format.merge_policy import MOST_UNMERGED
from index_format.occurrences import Occurrences
from index_format.packing import pack, unpack
from index_format.postings import is_by_block
from index_format.records import (
    FIELD_BITS,
    FINGERPRINT_BYTES,
    ChunkTable,
    EncodedRun,
    Field,
    FileTable,
    Level,
    Manifest,
    PostingList,
    PostingRun,
    SegmentContent,
    SegmentEntry,
    UnitTable,
)
from index_format.runs import (
    BLOCK_BITS,
    find_changes,
    find_docs,
    find_low,
    search_low,
    sort_distinct,
    spread_runs,
)
from index_format.seals import SEAL_SUFFIX, TAG_BYTES
from index_format.segment_writer import write_segment
from index_format.snapshot import LiveSegment, Snapshot, open_segments
from index_format.term_scan import find_containing, find_prefix_end, iter_ending, iter_starting
from index_format.term_text import (
    TermText,
    build_term_text,
    gather_spans,
    join_term_texts,
    rank_spans,
    rank_terms,
)
from index_format.terms import TermsReader
from index_format.verify import read_foreign_segment, verify_index
from index_format.writer import SIDE_SUFFIX, IndexWriter, Merger

__all__ = [
    "BLOCK_BITS",
    "BOUND_SCALE",
    "FIELD_BITS",
    "FINGERPRINT_BYTES",
    "FLAGS",
    "MANIFEST",
    "MOST_UNMERGED",
    "SATURATION_B",
    "SATURATION_K1",
    "SEAL_SUFFIX",
    "SIDE_SUFFIX",
    "SIZE",
    "TAG_BYTES",
    "VERSION",
    "AdoptedSegments",
    "BlockList",
    "ChunkSpan",
    "ChunkTable",
    "CorruptIndex",
    "Directory",
    "DirectoryHolder",
    "DiskDirectory",
    "DiskFile",
    "EncodedRun",
    "Escapes",
    "Field",
    "FileTable",
    "FilesReader",
    "IndexForeign",
    "IndexFormatError",
    "IndexLocked",
    "IndexTooNew",
    "IndexTooOld",
    "IndexWriter",
    "Level",
    "LiveSegment",
    "MakeTag",
    "Manifest",
    "ManifestReader",
    "MemoryDirectory",
    "Merge",
    "Merger",
    "Occurrences",
    "PostingList",
    "PostingRun",
    "ReadableFile",
    "SegmentContent",
    "SegmentEntry",
    "Snapshot",
    "TermText",
    "TermsReader",
    "UnitSpan",
    "UnitTable",
    "WritableFile",
    "build_term_text",
    "compute_chunk_id",
    "compute_fingerprint",
    "copy_manifest",
    "find_changes",
    "find_containing",
    "find_docs",
    "find_low",
    "find_prefix_end",
    "gather_spans",
    "is_by_block",
    "iter_dump",
    "iter_ending",
    "iter_starting",
    "iter_stats",
    "join_term_texts",
    "merge_segments",
    "new_file",
    "number_languages",
    "open_segments",
    "pack",
    "rank_spans",
    "rank_terms",
    "read_foreign_segment",
    "read_manifest",
    "read_sealed_manifest",
    "search_low",
    "sort_distinct",
    "spread_runs",
    "unpack",
    "verify_index",
    "write_segment",
]
