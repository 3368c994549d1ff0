package serve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/assay-project/assay/pkg/dynamolite"
	"github.com/assay-project/assay/services/assay/backup"
	"github.com/assay-project/assay/services/assay/embedded"
	"github.com/assay-project/assay/services/assay/endpoints"
	"github.com/assay-project/assay/services/assay/folder"
)

// markTime is the maximum time that writes wait for the mark of a backup, apart from one attempt to read the streams.
const markTime = 250 * time.Millisecond

// mark is the state of the engines at one moment. Everything that a client had an acknowledgement for is in it. No stream
// is ahead of the database: the database commits nothing while the streams and the objects are marked. No stream is ahead of
// the objects, which are marked last: an event that reports an upload needs no write to the database.
type mark struct {
	at       time.Time
	database *dynamolite.Snapshot
	streams  *embedded.Streams
	objects  *embedded.Objects
}

// mark sets a mark. The caller closes it.
func (e *engines) mark(ctx context.Context) (*mark, error) {
	m := &mark{}
	var err error
	m.database, err = e.dynamo.Snapshot(ctx, func() (err error) {
		m.at = time.Now()
		within, cancel := context.WithTimeout(ctx, markTime)
		defer cancel()
		if m.streams, err = e.nats.Cut(within); err != nil {
			return err
		}
		m.objects, err = e.s3.Retain()
		return err
	})
	if err != nil {
		return nil, errors.Join(err, m.close())
	}
	return m, nil
}

func (m *mark) close() error {
	var failed []error
	if m.database != nil {
		failed = append(failed, m.database.Close())
	}
	if m.streams != nil {
		failed = append(failed, m.streams.Close())
	}
	if m.objects != nil {
		failed = append(failed, m.objects.Close())
	}
	return errors.Join(failed...)
}

// store stores the marked state of the data folder dir. It closes each part once it is stored, first the database, whose
// file grows meanwhile. It returns the number of objects.
func (m *mark) store(ctx context.Context, dir string, to *backup.Writer) (objects int, err error) {
	err = to.Add(backup.Entry{Path: folder.Database, Size: m.database.Size()}, io.NewSectionReader(m.database, 0, m.database.Size()))
	if err = errors.Join(err, m.database.Close()); err != nil {
		return 0, err
	}
	for _, file := range m.streams.Files {
		if err := to.Add(backup.Entry{Path: folder.Streams + "/" + file.Path, Size: file.Size}, file.Reader()); err != nil {
			return 0, err
		}
	}
	if err := m.streams.Close(); err != nil {
		return 0, err
	}
	keys, err := os.ReadFile(endpoints.CredentialsPath(dir))
	if err == nil {
		err = to.Add(backup.Entry{Path: filepath.Base(endpoints.CredentialsPath(dir)), Size: int64(len(keys))}, bytes.NewReader(keys))
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // the keys may be in the environment
		return 0, err
	}
	err = m.objects.Each(ctx, func(object embedded.ObjectFile) error {
		if object.File != nil {
			objects++
			if object.ETag == "" {
				to.Problem(fmt.Sprintf("object %s in bucket %s: its metadata is missing", object.Key, object.Bucket))
			}
		}
		return to.Add(entryOf(object), object.File)
	})
	return objects, errors.Join(err, m.objects.Close())
}

// entryOf describes an object or a bucket.
func entryOf(object embedded.ObjectFile) backup.Entry {
	entry := backup.Entry{
		Path: folder.Objects + "/" + object.Path(), Size: object.Size, Inode: object.Inode, Tag: object.ETag,
		BesidePath: folder.Objects + "/" + object.MetadataPath, Beside: object.Metadata,
	}
	if !object.Modified.IsZero() {
		entry.Modified = object.Modified.UnixNano()
	}
	return entry
}
