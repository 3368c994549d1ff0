package embedded

import (
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/versity/versitygw/backend"
	"github.com/versity/versitygw/backend/meta"
	"github.com/versity/versitygw/backend/posix"
	"github.com/versity/versitygw/s3api/middlewares"
	"github.com/versity/versitygw/s3err"
	"github.com/versity/versitygw/s3response"
)

// The gateway copies all parts of a multipart upload to a new file when they are joined. To avoid that, a part is
// written to its place in a file of its upload that becomes the object: part n of size s at (n-1)*s in the file
// for parts of size s. The file of the part itself has its size and attributes, but no bytes. Usually only the
// last part has a different size; it is copied to its place when the parts are joined. A stored part is never
// overwritten in place: if a client sends it again, the bytes are stored in the file of the part.
const (
	// placedAttribute is set to "1" on the file of a part whose bytes are in the file of the upload.
	placedAttribute = "assay-placed"
	// placedPrefix is the prefix of the name of an upload's file; the size of the parts follows.
	placedPrefix = "placed-"
	// checksumsAttribute is the gateway's attribute with the checksum of a part.
	checksumsAttribute = "checksums"
)

// place is where a part is written.
type place struct {
	bucket string
	dir    string // directory of the upload, relative to the bucket
	number int32
	size   int64
	file   *os.File
}

func (p *place) name() string { return path.Join(p.dir, strconv.Itoa(int(p.number))) }

// placedName returns the name of the file of an upload for parts of this size.
func placedName(size int64) string { return placedPrefix + strconv.FormatInt(size, 10) }

func placedAt(number int32, size int64) int64 { return int64(number-1) * size }

// UploadPart stores a part of a multipart upload. Its bytes are on disk before the part is listed.
func (d *durableStore) UploadPart(ctx context.Context, in *s3.UploadPartInput) (*s3.UploadPartOutput, error) {
	in.Body = complete(in.Body, in.ContentLength)
	p, leave, err := d.placeOf(in)
	if p == nil && err == nil {
		return d.uploadPart(ctx, in)
	}
	etag := ""
	if err == nil {
		defer leave()
		etag, err = d.fill(p, in)
	}
	if errors.Is(err, fs.ErrNotExist) { // the upload was completed or aborted
		err = s3err.GetNoSuchUploadErr(*in.UploadId)
	}
	if err != nil {
		return nil, err
	}
	return &s3.UploadPartOutput{ETag: &etag, ChecksumCRC32: in.ChecksumCRC32}, nil
}

// uploadPart stores a part with the gateway. If the upload is aborted concurrently, the gateway recreates its
// directory, and uploadPart removes it again. It detects this only for uploads with checksums, which the product
// always uses.
func (d *durableStore) uploadPart(ctx context.Context, in *s3.UploadPartInput) (*s3.UploadPartOutput, error) {
	dir := uploadDir(*in.Key, *in.UploadId)
	_, before := d.meta.RetrieveAttribute(nil, *in.Bucket, dir, checksumsAttribute)
	out, err := d.Posix.UploadPartWithPostFunc(ctx, in, d.sync)
	if err != nil || before != nil {
		return out, err
	}
	if _, err := d.meta.RetrieveAttribute(nil, *in.Bucket, dir, checksumsAttribute); !errors.Is(err, meta.ErrNoSuchKey) && !errors.Is(err, fs.ErrNotExist) {
		return out, err
	}
	for _, name := range []string{path.Join(dir, strconv.Itoa(int(*in.PartNumber))), dir} {
		// If another part is still in the directory, its request removes the directory.
		if err := os.Remove(d.pathOf(*in.Bucket, name)); err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTEMPTY) {
			return nil, err
		}
	}
	return nil, s3err.GetNoSuchUploadErr(*in.UploadId)
}

// uploadDir returns the directory of an upload, relative to its bucket.
func uploadDir(key, uploadID string) string {
	sum := sha256.Sum256([]byte(key))
	return path.Join(posix.MetaTmpMultipartDir, fmt.Sprintf("%x", sum), uploadID)
}

// placeOf claims the place of a part until leave is called. It returns nil for a part that the gateway must store:
// a part that exists or is being written, or a part without a CRC-32 header, which other clients may send.
func (d *durableStore) placeOf(in *s3.UploadPartInput) (p *place, leave func(), err error) {
	chunks, trailing := in.Body.(middlewares.ChecksumReader)
	if d.copies.inFiles || !canReplace || in.ChecksumCRC32 == nil || trailing && chunks.Algorithm() != "" ||
		in.ContentLength == nil || *in.ContentLength < 1 || *in.PartNumber < 1 || strings.ContainsAny(*in.UploadId, `/\`) {
		return nil, nil, nil
	}
	p = &place{bucket: *in.Bucket, dir: uploadDir(*in.Key, *in.UploadId), number: *in.PartNumber, size: *in.ContentLength}
	var sums s3response.Checksum
	value, err := d.meta.RetrieveAttribute(nil, p.bucket, p.dir, checksumsAttribute)
	if err != nil || json.Unmarshal(value, &sums) != nil || sums.Algorithm != types.ChecksumAlgorithmCrc32 {
		return nil, nil, nil
	}
	leave, ok := d.placing.enter(path.Join(p.bucket, p.dir), p.name())
	if !ok {
		return nil, nil, nil
	}
	_, err = os.Lstat(d.pathOf(p.bucket, p.name()))
	if errors.Is(err, fs.ErrNotExist) {
		p.file, err = d.openPlaced(p)
	}
	if p.file == nil || err != nil {
		leave()
		return nil, nil, err
	}
	return p, leave, nil
}

func (d *durableStore) pathOf(bucket, name string) string {
	return filepath.Join(d.objects, bucket, filepath.FromSlash(name))
}

// fill writes the bytes of a part to its place, and then the file of the part.
func (d *durableStore) fill(p *place, in *s3.UploadPartInput) (etag string, err error) {
	defer func() {
		// The gateway recognizes its own errors only if they are not wrapped.
		if closed := p.file.Close(); err == nil {
			err = closed
		}
	}()
	etagOf, sumOf := md5.New(), crc32.NewIEEE()
	to := io.MultiWriter(io.NewOffsetWriter(p.file, placedAt(p.number, p.size)), etagOf, sumOf)
	if _, err := io.CopyBuffer(to, in.Body, make([]byte, s3Buffer)); err != nil {
		return "", err
	}
	sum := base64.StdEncoding.EncodeToString(sumOf.Sum(nil))
	if sum != *in.ChecksumCRC32 {
		return "", s3err.GetChecksumBadDigestErr(types.ChecksumAlgorithmCrc32)
	}
	if err := d.sync(p.file); err != nil {
		return "", err
	}
	etag = backend.GenerateEtag(etagOf)
	return etag, d.writePart(p, etag, sum)
}

// openPlaced opens the file of an upload for parts of this size. It returns nil if the file is already an object,
// because the process was killed after a completion and before the upload was removed.
func (d *durableStore) openPlaced(p *place) (*os.File, error) {
	dir := d.pathOf(p.bucket, p.dir)
	file, err := os.OpenFile(filepath.Join(dir, placedName(p.size)), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && linksOf(info) > 1 {
		return nil, file.Close()
	}
	if err == nil && info.Size() == 0 {
		err = d.syncFolder(dir)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// writePart writes the file of a part as the gateway does, but without bytes. Its name may be lost in a power
// failure; the part is then sent again.
func (d *durableStore) writePart(p *place, etag, sum string) (err error) {
	sums, err := json.Marshal(s3response.Checksum{Algorithm: types.ChecksumAlgorithmCrc32, CRC32: &sum})
	if err != nil {
		return err
	}
	file, err := os.CreateTemp(d.pathOf(p.bucket, p.dir), "part-*")
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, file.Close())
		if err != nil {
			err = errors.Join(err, os.Remove(file.Name()))
		}
	}()
	if err := file.Truncate(p.size); err != nil {
		return err
	}
	for name, value := range map[string][]byte{etagAttribute: []byte(etag), checksumsAttribute: sums, placedAttribute: []byte("1")} {
		if err := d.meta.StoreAttribute(file, p.bucket, p.name(), name, value); err != nil {
			return err
		}
	}
	if err := d.sync(file); err != nil {
		return err
	}
	return os.Rename(file.Name(), d.pathOf(p.bucket, p.name()))
}

// placing records the parts that are being written to their places and the uploads that are being completed. The
// zero value is empty.
type placing struct {
	mu          sync.Mutex
	parts       map[string]bool
	uploads     map[string]int // number of parts being written, by upload
	completions map[string]int
}

// enter claims a part. ok is false while another request writes it, or the upload is being completed.
func (p *placing) enter(upload, part string) (leave func(), ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	part = path.Join(upload, part)
	if p.parts[part] || p.completions[upload] > 0 {
		return nil, false
	}
	if p.parts == nil {
		p.parts, p.uploads = map[string]bool{}, map[string]int{}
	}
	p.parts[part] = true
	p.uploads[upload]++
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.parts, part)
		if p.uploads[upload]--; p.uploads[upload] == 0 {
			delete(p.uploads, upload)
		}
	}, true
}

// complete rejects new parts of an upload until done is called. alone reports whether no part is being written and no
// other completion is in progress.
func (p *placing) complete(upload string) (done func(), alone bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.completions == nil {
		p.completions = map[string]int{}
	}
	p.completions[upload]++
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.completions[upload]--; p.completions[upload] == 0 {
			delete(p.completions, upload)
		}
	}, p.completions[upload] == 1 && p.uploads[upload] == 0
}
