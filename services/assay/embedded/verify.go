package embedded

import (
	"bytes"
	"context"
	"crypto/md5"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/rs/zerolog"
	"github.com/versity/versitygw/backend/meta"
	"github.com/versity/versitygw/backend/posix"

	"github.com/assay-project/assay/pkg/dynamolite"
)

// VerifyDynamoDB checks the database at path. Like StartDynamoDB, it first replays the journal after
// a crash. It returns the number of values read.
func VerifyDynamoDB(path string, found func(problem string)) (values int, err error) {
	engine, err := dynamolite.Open(dynamolite.Options{Path: path, SweepInterval: -1})
	if err != nil {
		return 0, err
	}
	values, err = engine.Check(found)
	return values, errors.Join(err, engine.Close())
}

// DynamoDBLabel returns the label of the database at path. Like StartDynamoDB, it first replays the journal after a
// crash.
func DynamoDBLabel(path string) (string, error) {
	engine, err := dynamolite.Open(dynamolite.Options{Path: path, SweepInterval: -1})
	if err != nil {
		return "", err
	}
	label, err := engine.Label()
	return label, errors.Join(err, engine.Close())
}

// VerifyS3 verifies the checksums of the objects in the directory. Like StartS3, it first restores
// metadata that was lost when the directory was copied. With repair it rewrites copies of metadata.
// It must not run concurrently with StartS3, because both change the working directory. It returns
// the number of objects read.
func VerifyS3(dir string, repair bool, found func(problem string)) (objects int, err error) {
	if dir, err = filepath.Abs(dir); err != nil {
		return 0, err
	}
	before, err := os.Getwd()
	if err != nil {
		return 0, err
	}
	store, err := openStore(S3Config{Dir: dir, sync: (*os.File).Sync})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.Chdir(before)) }()
	buckets, err := os.ReadDir(store.objects)
	for _, bucket := range buckets {
		if err == nil && bucket.IsDir() {
			var n int
			n, err = store.verifyBucket(bucket.Name(), repair, found)
			objects += n
		}
	}
	if err != nil || store.copies.dir == "" {
		return objects, err
	}
	return objects, store.verifyCopies(repair, found)
}

func (d *durableStore) verifyBucket(bucket string, repair bool, found func(string)) (objects int, err error) {
	top := filepath.Join(d.objects, bucket)
	err = filepath.WalkDir(top, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if entry.Name() == posix.MetaTmpDir {
				return filepath.SkipDir
			}
			return nil
		}
		local, err := filepath.Rel(top, path)
		if err != nil {
			return err
		}
		objects++
		key := filepath.ToSlash(local)
		if err := d.verifyObject(bucket, key, path, repair); err != nil {
			found(fmt.Sprintf("object %s in bucket %s: %v", key, bucket, err))
			return nil
		}
		return d.verifyCopy(bucket, key, repair, found)
	})
	return objects, err
}

func (d *durableStore) verifyObject(bucket, key, path string, repair bool) (err error) {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	etag, err := d.meta.RetrieveAttribute(file, bucket, key, etagAttribute)
	if err != nil {
		return errors.New("its metadata is missing; restore it from a backup")
	}
	sums, err := d.meta.RetrieveAttribute(file, bucket, key, sumsAttribute)
	switch {
	case errors.Is(err, meta.ErrNoSuchKey) && repair:
		return d.addSums(file, bucket, key, strings.Trim(string(etag), `"`))
	case errors.Is(err, meta.ErrNoSuchKey):
		return errors.New("it has no checksums, because an older version was killed while it stored the object; add them with --repair")
	case err != nil:
		return err
	}
	return verifySums(file, info.Size(), sums)
}

// addSums stores the missing checksums of an object. The ETag of an object that was not uploaded in
// parts is the MD5 of its content.
func (d *durableStore) addSums(file *os.File, bucket, key, etag string) error {
	digest := md5.New()
	if _, err := io.Copy(digest, file); err != nil {
		return err
	}
	if !strings.Contains(etag, "-") && hex.EncodeToString(digest.Sum(nil)) != etag {
		return fmt.Errorf("%w: its content does not match its ETag", errDamaged)
	}
	sums, err := sumsOf(file)
	if err != nil {
		return err
	}
	return d.copies.meta.StoreAttribute(file, bucket, key, sumsAttribute, sums)
}

// verifyCopy checks the copy of an object's metadata.
func (d *durableStore) verifyCopy(bucket, key string, repair bool, found func(string)) error {
	if d.copies.dir == "" {
		return nil
	}
	one, err := d.copies.current(nil, bucket, key)
	if err != nil {
		return err
	}
	want, err := one.encode()
	if err != nil {
		return err
	}
	got, err := os.ReadFile(d.copies.path(bucket, key))
	if err == nil && bytes.Equal(got, want) {
		return nil
	}
	if repair {
		return d.copies.write(bucket, key)
	}
	found(fmt.Sprintf("object %s in bucket %s: the copy of its metadata is missing or outdated, and a backup without extended attributes would lose it; rewrite it with --repair", key, bucket))
	return nil
}

// verifyCopies reports copies of the metadata of missing objects.
func (d *durableStore) verifyCopies(repair bool, found func(string)) error {
	return d.copies.each(func(one metadataCopy) error {
		_, err := os.Lstat(filepath.Join(d.objects, one.Bucket, filepath.FromSlash(one.Key)))
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if repair {
			return removeFile(d.copies.path(one.Bucket, one.Key))
		}
		found(fmt.Sprintf("object %s in bucket %s: its content is missing; restore it from a backup, or discard its metadata with --repair", one.Key, one.Bucket))
		return nil
	}, func(path string, err error) error {
		if repair { // those of all objects have been rewritten
			return removeFile(path)
		}
		found(fmt.Sprintf("copy of metadata %s: %v; remove it with --repair", path, err))
		return nil
	})
}

// VerifyNATS starts the server on the directory, as `assay serve` does, and reads every message of
// every stream. Each warning of the server is a finding, unless it is about an index that the server
// rebuilds from the messages, as it does after a kill. The server drops unreadable messages, sometimes
// without a warning, so a damaged tail of a stream can remain undetected. VerifyNATS returns the
// number of messages read.
func VerifyNATS(ctx context.Context, dir string, found func(problem string)) (messages int, err error) {
	warnings := &warnings{found: found}
	server, err := StartNATS(NATSConfig{Dir: dir, User: "verify", Password: rand.Text(), Log: zerolog.New(warnings).Level(zerolog.WarnLevel)})
	if err != nil {
		return 0, err
	}
	defer server.Close()
	conn, err := nats.Connect(server.URL())
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		return 0, err
	}
	streams := js.ListStreams(ctx)
	for info := range streams.Info() {
		stream, err := js.Stream(ctx, info.Config.Name)
		if err != nil {
			return messages, err
		}
		read := 0
		for seq := info.State.FirstSeq; seq <= info.State.LastSeq && info.State.Msgs > 0; seq++ {
			_, err := stream.GetMsg(ctx, seq)
			switch {
			case err == nil:
				read++
			case !errors.Is(err, jetstream.ErrMsgNotFound):
				found(fmt.Sprintf("message %d of stream %s: %v", seq, info.Config.Name, err))
			}
		}
		if uint64(read) < info.State.Msgs {
			found(fmt.Sprintf("stream %s: only %d of %d messages are readable", info.Config.Name, read, info.State.Msgs))
		}
		messages += read
	}
	return messages, streams.Err()
}

// warnings converts log lines of the server to findings.
type warnings struct {
	mu    sync.Mutex
	found func(string)
}

func (w *warnings) Write(line []byte) (int, error) {
	if isRebuilt(line) {
		return len(line), nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.found("NATS: " + string(bytes.TrimSpace(line)))
	return len(line), nil
}

// isRebuilt reports whether a log line is about state that the server derives from the messages of a
// stream and rebuilds by itself, or about the duration of an operation.
func isRebuilt(line []byte) bool {
	for _, text := range []string{
		"Stream state ", "stream state from index", "TTL state", "cheduling state", "ourcing state", "sources state",
		"Detected skew in subject-based total", " took ",
	} {
		if bytes.Contains(line, []byte(text)) {
			return true
		}
	}
	return false
}
