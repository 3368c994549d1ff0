package step

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/extract"
	"github.com/assay-project/assay/pkg/extract/budget"
	"github.com/assay-project/assay/pkg/extract/sheet"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/reason"
)

// File is the file that a step processes. It is not safe for concurrent use.
type File struct {
	ID          string
	Name        string
	Type        extract.Type  // the type of the workflow
	ContentType string        // as declared by the client
	Origin      string        // the URL that the bytes were fetched from; empty for an upload
	Options     sheet.Options // state how a delimited table is written
	Size        int64         // bytes
	Run         int64
	Step        string // for example extract.StepText or library.ChunkStep(17)

	source blob.Ranges
	bucket *blob.Store
	memory *budget.Budget
}

// New returns the file of a step. Its bytes and results are in the bucket. The parsers of the step share memory with those
// of other steps.
func New(bucket *blob.Store, memory *budget.Budget, s *event.LibraryStep) *File {
	return &File{
		ID: s.FileId, Name: s.FileName, Type: extract.Type(s.Type), ContentType: s.ContentType, Origin: s.Origin, Size: int64(s.Size), Run: int64(s.Run), Step: s.Step,
		Options: sheet.Options{Header: s.TableHeader, Delimiter: s.TableDelimiter, Decimal: s.TableDecimal},
		source:  blob.Ranges{Store: bucket, Key: s.Key, ETag: s.Etag, Size: int64(s.Size)}, bucket: bucket, memory: memory,
	}
}

// Other returns another file of which only the results of a run are read and stored.
func (f *File) Other(id string, run int64) *File {
	return &File{ID: id, Run: run, Step: f.Step, bucket: f.bucket, memory: f.memory}
}

// window is the number of bytes that Open requests at a time.
const window = 32 << 20

// Open streams the bytes of the file. The caller must close the stream. Read returns blob.ErrNotFound or
// blob.ErrChanged if the object was deleted or replaced, which ends the step.
func (f *File) Open(ctx context.Context) io.ReadCloser { return f.From(ctx, 0, window) }

// From streams the bytes of the file from position at to the end. It requests ranges of ahead
// bytes.
func (f *File) From(ctx context.Context, at, ahead int64) io.ReadCloser {
	return f.source.From(ctx, at, min(f.Size, at+max(1, ahead)))
}

// ReaderAt returns a reader that makes one request per read, until ctx is done.
func (f *File) ReaderAt(ctx context.Context) io.ReaderAt { return readerAt{ctx, f} }

type readerAt struct {
	ctx  context.Context
	file *File
}

func (r readerAt) ReadAt(b []byte, at int64) (int, error) {
	body := r.file.From(r.ctx, at, int64(len(b)))
	defer body.Close()
	n, err := io.ReadFull(body, b)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = io.EOF
	}
	return n, err
}

// Head returns the first bytes of the file, up to the given number.
func (f *File) Head(ctx context.Context, most int64) ([]byte, error) {
	most = min(most, f.Size)
	body := f.source.From(ctx, 0, most)
	defer body.Close()
	head := make([]byte, most)
	_, err := io.ReadFull(body, head)
	return head, err
}

// Load reads all bytes of a file. If the file exceeds the limit, it returns reason.FileTooLarge.
func (f *File) Load(ctx context.Context, most int64) ([]byte, error) {
	if f.Size > most {
		return nil, reason.FileTooLarge.Fill(f.Size, most)
	}
	return f.Head(ctx, f.Size)
}

// Result reads an object stored by a step of this run. It returns blob.ErrNotFound if there is none.
func (f *File) Result(ctx context.Context, name string) (io.ReadCloser, error) {
	return f.bucket.Open(ctx, library.ResultKey(f.ID, f.Run, name), "")
}

// ResultPart reads a part of an object stored by a step of this run, like blob.Store.Part.
func (f *File) ResultPart(ctx context.Context, name string, offset, length int64) ([]byte, error) {
	return f.bucket.Part(ctx, library.ResultKey(f.ID, f.Run, name), offset, length)
}

// metaDigest is the object metadata key of the SHA-256 of a result.
const metaDigest = "sha256"

// Stream is like Store, but stores the bytes that write produces, in constant memory. If an earlier attempt
// has stored the object, Stream replaces it if the length differs, for which it calls write again. It returns an error of write as it is.
func (f *File) Stream(ctx context.Context, name, contentType string, write func(io.Writer) error) (key string, err error) {
	key = library.ResultKey(f.ID, f.Run, name)
	for {
		from, to := io.Pipe()
		var length counter
		written := make(chan error, 1)
		go func() {
			err := write(io.MultiWriter(to, &length))
			to.CloseWithError(err)
			written <- err
		}()
		_, err = f.bucket.Put(ctx, key, contentType, nil, from)
		exists := errors.Is(err, blob.ErrExists)
		if exists {
			_, _ = io.Copy(io.Discard, from) // for the length; its error is that of write
		}
		_ = from.Close() // stops write if its output was not read to the end
		if failed := <-written; failed != nil && !errors.Is(failed, io.ErrClosedPipe) {
			return "", failed
		}
		if !exists {
			return key, err
		}
		object, err := f.bucket.Head(ctx, key)
		if err != nil && !errors.Is(err, blob.ErrNotFound) {
			return "", err
		}
		if object.Size == int64(length) {
			return key, nil
		}
		if err := f.bucket.Delete(ctx, key); err != nil {
			return "", err
		}
	}
}

// counter is an io.Writer that counts bytes.
type counter int64

func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}

// Store stores a result of the step under a name that no other step of the workflow uses, such as
// image-300.jpg, and returns its key. It replaces the result of an earlier attempt.
func (f *File) Store(ctx context.Context, name, contentType string, body []byte) (key string, err error) {
	key = library.ResultKey(f.ID, f.Run, name)
	sum := sha256.Sum256(body)
	digest := hex.EncodeToString(sum[:])
	for {
		_, err = f.bucket.Put(ctx, key, contentType, map[string]string{metaDigest: digest}, bytes.NewReader(body))
		if !errors.Is(err, blob.ErrExists) {
			return key, err
		}
		object, err := f.bucket.Head(ctx, key)
		if err == nil && object.Metadata[metaDigest] == digest {
			return key, nil
		}
		if err != nil && !errors.Is(err, blob.ErrNotFound) {
			return "", err
		}
		if err := f.bucket.Delete(ctx, key); err != nil {
			return "", err
		}
	}
}
