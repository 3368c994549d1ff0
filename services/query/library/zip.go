package library

import (
	"archive/zip"
	"compress/flate"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/web"
)

const (
	// maxZipFiles and maxZipBytes limit the files in one zip.
	maxZipFiles = 20_000
	maxZipBytes = 50 << 30
	tooMany     = "A zip has at most 20,000 files and 50 GiB. Download the subfolders separately."
	// zipAhead is the number of objects opened ahead of the one being sent.
	zipAhead = 8
	// missingName is the entry that lists files whose content was removed during the download.
	missingName = "_missing.txt"
)

func zipOperation() huma.Operation {
	text := &huma.Schema{Type: "string"}
	return huma.Operation{
		OperationID: "get-library-zip", Method: http.MethodGet, Path: "/v1/library/nodes/{id}/zip", Security: web.OptionalSecurity, Tags: []string{tag},
		Summary: "Download a folder or file as a zip",
		Description: "At most 20,000 files and 50 GiB. Duplicate names in a folder get a number. Files without content are left out; " +
			"files that are removed during the download are listed in _missing.txt. An aborted download is not a valid zip.",
		Parameters: []*huma.Param{
			{Name: "id", In: "path", Required: true, Schema: &huma.Schema{Type: "string", Format: "uuid"}},
			{Name: web.OwnerHeader, In: "header", Schema: text},
			{Name: "link", In: "query", Schema: text, Description: "the token of a share link"},
		},
		Responses: map[string]*huma.Response{"200": {
			Description: "The zip", Content: map[string]*huma.MediaType{"application/zip": {Schema: &huma.Schema{Type: "string", Format: "binary"}}},
			Headers: map[string]*huma.Param{"Cache-Control": {Schema: text}, "Content-Disposition": {Schema: text}},
		}},
	}
}

// zip is the plain handler of zipOperation.
func (a *Area) zip(w http.ResponseWriter, r *http.Request) {
	name, entries, err := a.zipped(r)
	if err != nil {
		web.WriteError(w, r, problem(err))
		return
	}
	w.Header().Set("Content-Type", "application/zip")
	w.Header().Set("Cache-Control", noStore)
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name + ".zip"}))
	if err := a.writeZip(r.Context(), w, entries); err != nil {
		panic(http.ErrAbortHandler) // so that the client notices the truncation
	}
}

// zipped returns the name and the entries of the requested zip, without .zip.
func (a *Area) zipped(r *http.Request) (name string, entries []zipEntry, err error) {
	id, err := uuid.Parse(r.PathValue("id"))
	if err != nil {
		return "", nil, lifecycle.ErrNotFound
	}
	c, err := a.callerOf(r.Context(), web.CallerOf(r.Context()), r.URL.Query().Get("link"))
	if err != nil {
		return "", nil, err
	}
	top, err := a.store.Readable(r.Context(), id.String(), c)
	if err != nil {
		return "", nil, err
	}
	n := top.Node()
	if n.IsFile() {
		if n.Status == library.Loading {
			return "", nil, errLoading
		}
		return n.Name, []zipEntry{{n.Name, n}}, nil
	}
	entries, err = a.below(r.Context(), n)
	if name = n.Name; name == "" { // the root
		name = "library"
	}
	return name, entries, err
}

// zipEntry is a file or an empty folder. The path of a folder ends in a slash.
type zipEntry struct {
	path string
	node library.Node
}

// below lists everything below a folder. It returns errTooMany if that exceeds the limits.
func (a *Area) below(ctx context.Context, top library.Node) ([]zipEntry, error) {
	var entries []zipEntry
	var size int64
	type level struct{ path, id string }
	for folders := []level{{"", top.ID}}; len(folders) > 0; folders = folders[1:] {
		at, taken := folders[0], library.UniqueNames{}
		l := library.Listing{Limit: 1000}
		for {
			page, err := a.store.Children(ctx, at.id, l)
			if err != nil {
				return nil, err
			}
			for _, n := range page.Nodes {
				switch {
				case n.Type == library.KindFolder:
					folder := at.path + taken.Add(library.PlainName(n.Name)) + "/"
					folders, entries = append(folders, level{folder, n.ID}), append(entries, zipEntry{folder, n})
				case n.IsFile() && n.Status != library.Loading && n.Blob != nil:
					size += n.Blob.Length
					entries = append(entries, zipEntry{at.path + taken.Add(library.PlainName(n.Name)), n})
				}
			}
			if len(entries) > maxZipFiles || size > maxZipBytes {
				return nil, errTooMany
			}
			if l.Cursor = page.NextCursor; l.Cursor == "" {
				break
			}
		}
	}
	return entries, nil
}

// opened is the result of opening an entry. body is nil for a folder.
type opened struct {
	body io.ReadCloser
	err  error
}

// writeZip streams the entries. If it returns an error, the zip has no central directory.
func (a *Area) writeZip(ctx context.Context, w io.Writer, entries []zipEntry) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	queue := make(chan chan opened, zipAhead)
	go func() {
		defer close(queue)
		for _, e := range entries {
			result := make(chan opened, 1)
			select {
			case queue <- result:
			case <-ctx.Done():
				return
			}
			go func() { result <- a.open(ctx, e) }()
		}
	}()
	defer func() {
		cancel()
		for result := range queue {
			if o := <-result; o.body != nil {
				_ = o.body.Close() // opened for reading only
			}
		}
	}()
	z := newZip(w)
	var missing []string
	for _, e := range entries {
		result, more := <-queue
		if !more {
			return context.Cause(ctx)
		}
		o := <-result
		if errors.Is(o.err, blob.ErrNotFound) {
			missing = append(missing, e.path)
			continue
		}
		if o.err != nil {
			return o.err
		}
		if err := z.add(e, o.body); err != nil {
			return err
		}
	}
	if len(missing) > 0 {
		if err := z.add(zipEntry{path: missingName}, io.NopCloser(strings.NewReader(strings.Join(missing, "\n")+"\n"))); err != nil {
			return err
		}
	}
	return z.Close()
}

func (a *Area) open(ctx context.Context, e zipEntry) opened {
	if !e.node.IsFile() {
		return opened{}
	}
	body, err := a.bucket.Open(ctx, e.node.Blob.Key, "")
	return opened{body, err}
}

// zipWriter writes entries. Some readers reject a stored entry whose length does not precede it, so
// all entries use deflate, at compression level 0 for formats that are already compressed.
type zipWriter struct {
	*zip.Writer
	level int // compression level of the next entry
}

func newZip(w io.Writer) *zipWriter {
	z := &zipWriter{Writer: zip.NewWriter(w)}
	z.RegisterCompressor(zip.Deflate, func(out io.Writer) (io.WriteCloser, error) { return flate.NewWriter(out, z.level) })
	return z
}

// compressed lists the extensions of compressed formats.
var compressed = strings.Fields("jpg jpeg png gif webp heic heif hif avif jxl zip gz bz2 xz zst 7z docx xlsx pptx odt ods odp mp3 mp4 m4a mov mkv webm ogg")

// add writes an entry and closes its content.
func (z *zipWriter) add(e zipEntry, body io.ReadCloser) error {
	header := &zip.FileHeader{Name: e.path, Method: zip.Deflate, Modified: created(e.node)}
	if z.level = flate.BestSpeed; slices.Contains(compressed, strings.ToLower(strings.TrimPrefix(path.Ext(e.path), "."))) {
		z.level = flate.NoCompression
	}
	if body == nil {
		header.Method = zip.Store
	} else {
		defer body.Close()
	}
	entry, err := z.CreateHeader(header)
	if err != nil || body == nil {
		return err
	}
	_, err = io.Copy(entry, body)
	return err
}

func created(n library.Node) time.Time {
	if at := n.View(library.Caller{}).CreatedAt; at != nil {
		return *at
	}
	return time.Now()
}
