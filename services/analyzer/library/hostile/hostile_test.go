package hostile_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/extract"
	"github.com/assay-project/assay/pkg/extract/budget"
	"github.com/assay-project/assay/pkg/extract/microscopy"
	"github.com/assay-project/assay/pkg/extract/office"
	"github.com/assay-project/assay/pkg/extract/pixels"
	"github.com/assay-project/assay/pkg/extract/pixels/peak"
	"github.com/assay-project/assay/pkg/extract/records"
	"github.com/assay-project/assay/pkg/extract/sheet"
	"github.com/assay-project/assay/pkg/extract/wasm"
	"github.com/assay-project/assay/pkg/extract/webpage"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/services/analyzer/library/hostile"
	"github.com/assay-project/assay/services/analyzer/library/step"
)

var (
	size = flag.Int("hostile.size", 4<<10, "size of the generated files, in bytes; parts of archives are 50 times larger")
	seed = flag.Uint64("hostile.seed", 34, "seed of the generated files")
	only = flag.String("hostile.only", "", "part of the names of the files to parse; empty for all")
)

const (
	// longest is the time after which a parser must have stopped: it checks the context.
	longest = 5 * time.Minute
	// allocated is the factor by which all allocations of a parser may exceed its maximum memory, most of which
	// is garbage.
	allocated = 20
)

// parsers parse a file by its extension, and return the maximum memory for it, including the file.
func parsers(decoder *pixels.Decoder) map[string]func(ctx context.Context, data []byte) (most int64) {
	documents := func(ctx context.Context, data []byte) int64 {
		_, _ = office.Read(ctx, bytes.NewReader(data), int64(len(data)), office.Limits{Text: library.MaxText, To: io.Discard}) // any result within the bounds is right
		return office.Memory(int64(len(data)))
	}
	pictures := func(ctx context.Context, data []byte) int64 {
		limits := pixels.Limits{Bytes: 128 << 20, Pixels: 100_000_000}
		info, err := pixels.Inspect(data, limits)
		if err != nil {
			return 8 << 20
		}
		if _, release, err := decoder.Decode(ctx, data, limits); err == nil {
			release()
		}
		return info.Memory()
	}
	text := func(_ context.Context, data []byte) int64 { return int64(len(data)) } // stored unchanged
	lines := func(_ context.Context, data []byte) int64 {
		if rows, err := sheet.NewText(bytes.NewReader(data), sheet.Options{}); err == nil {
			for err == nil {
				_, err = rows.Next()
			}
		}
		return step.RecordMemory
	}
	headers := func(ctx context.Context, data []byte) int64 {
		_, _ = microscopy.Read(bytes.NewReader(data), int64(len(data)))
		return max(pictures(ctx, data), 128<<20)
	}
	all := map[string]func(context.Context, []byte) int64{
		"html": func(ctx context.Context, data []byte) int64 {
			_, _ = webpage.Read(ctx, data, "text/html", nil, webpage.Limits{Text: library.MaxText})
			return int64(len(data)) + webpage.Memory(int64(len(data)))
		},
		"xlsx": func(ctx context.Context, data []byte) int64 {
			documents(ctx, data)
			if book, err := sheet.NewWorkbook(ctx, bytes.NewReader(data), int64(len(data))); err == nil {
				for err == nil {
					_, err = book.Next()
				}
			}
			return sheet.Memory(int64(len(data))) + step.RecordMemory
		},
		"docx": documents, "pptx": documents, "odt": documents, "ods": documents, "doc": documents, "xls": documents, "ppt": documents,
		"csv": lines, "tsv": lines, "txt": text, "json": text, "md": text,
		"png": pictures, "jpg": pictures, "webp": pictures, "bmp": pictures, "gif": pictures, "heic": pictures,
		"tif": headers, "lif": headers, "czi": headers,
		"svg": text, "pdf": text, // in a sandbox; see TestHostileDocuments in e2e/documents
	}
	for _, f := range extract.RecordFormats() {
		all[f.Name] = func(ctx context.Context, data []byte) int64 { return readRecords(ctx, f, data) }
	}
	return all
}

// readRecords finds, reads and draws the records of a file.
func readRecords(ctx context.Context, f records.Format, data []byte) int64 {
	spans, _, err := f.Spans(bytes.NewReader(data))
	if err != nil {
		return step.RecordMemory
	}
	for _, span := range spans {
		part := data[span.Offset : span.Offset+span.Length]
		_, _ = f.Chunk(ctx, bytes.NewReader(part), span, io.Discard, io.Discard)
	}
	r := f.Read(data[:min(len(data), 1<<20)])
	_, _ = f.Draw(r.Content)
	return step.RecordMemory
}

// TestHostileFiles checks that no parser panics, uses more memory than it reserves, or continues after its context is done.
func TestHostileFiles(t *testing.T) {
	decoder := pixels.NewDecoder(budget.New(2<<30), wasm.Config{})
	defer func() {
		if err := decoder.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	}()
	parse := parsers(decoder)
	for _, f := range hostile.Files(*seed, *size) {
		if !strings.Contains(f.Name, *only) {
			continue
		}
		ctx, cancel := context.WithTimeout(t.Context(), longest)
		run := parse[strings.TrimPrefix(filepath.Ext(f.Name), ".")]
		if run == nil {
			t.Fatalf("no parser for %s", f.Name)
		}
		var most, used, limit int64
		began := time.Now()
		if *size > 64<<10 {
			used = peak.Of(func() { most = run(ctx, f.Data) })
			limit = most
		} else {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			most = run(ctx, f.Data)
			runtime.ReadMemStats(&after)
			used, limit = int64(after.TotalAlloc-before.TotalAlloc), allocated*most
		}
		t.Logf("%s: %d KB, %d of %d MB, %v", f.Name, len(f.Data)>>10, used>>20, limit>>20, time.Since(began).Round(time.Millisecond))
		if used > limit {
			t.Errorf("%s of %d bytes: used %d bytes, want at most %d", f.Name, len(f.Data), used, limit)
		}
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			t.Errorf("%s of %d bytes: took longer than %v", f.Name, len(f.Data), longest)
		}
		cancel()
	}
}
