package embedded

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"
)

// partsUpload is a multipart upload with CRC-32 checksums.
type partsUpload struct {
	t      *testing.T
	client *s3.Client
	dir    string
	key    string
	id     *string
	parts  map[int]types.CompletedPart
}

func beginParts(t *testing.T, client *s3.Client, dir, key string) *partsUpload {
	t.Helper()
	out, err := client.CreateMultipartUpload(t.Context(), &s3.CreateMultipartUploadInput{
		Bucket: aws.String(testBucket), Key: &key, ChecksumAlgorithm: types.ChecksumAlgorithmCrc32,
	})
	if err != nil {
		t.Fatal(err)
	}
	return &partsUpload{t, client, dir, key, out.UploadId, map[int]types.CompletedPart{}}
}

func (m *partsUpload) send(number int, content []byte) {
	m.t.Helper()
	out, err := m.client.UploadPart(m.t.Context(), &s3.UploadPartInput{
		Bucket: aws.String(testBucket), Key: &m.key, UploadId: m.id, PartNumber: aws.Int32(int32(number)),
		Body: bytes.NewReader(content), ChecksumAlgorithm: types.ChecksumAlgorithmCrc32,
	})
	if err != nil {
		m.t.Fatal(err)
	}
	m.parts[number] = types.CompletedPart{PartNumber: aws.Int32(int32(number)), ETag: out.ETag, ChecksumCRC32: out.ChecksumCRC32}
}

// join completes the upload with the given parts and checks the object.
func (m *partsUpload) join(want []byte, numbers ...int) {
	m.t.Helper()
	var parts []types.CompletedPart
	for _, number := range numbers {
		parts = append(parts, m.parts[number])
	}
	if _, err := m.client.CompleteMultipartUpload(m.t.Context(), &s3.CompleteMultipartUploadInput{
		Bucket: aws.String(testBucket), Key: &m.key, UploadId: m.id, IfNoneMatch: aws.String("*"),
		MultipartUpload: &types.CompletedMultipartUpload{Parts: parts},
	}); err != nil {
		m.t.Fatal(err)
	}
	if body, _ := get(m.t, m.client, m.key); body != string(want) {
		m.t.Errorf("%s has %d bytes that differ from the %d bytes sent", m.key, len(body), len(want))
	}
}

func (m *partsUpload) object() string { return filepath.Join(m.dir, "objects", testBucket, m.key) }

// placed returns the file of the upload for parts of partBytes.
func (m *partsUpload) placed() string {
	m.t.Helper()
	found, err := filepath.Glob(filepath.Join(m.dir, "objects", testBucket, ".sgwtmp", "multipart", "*", *m.id, placedName(partBytes)))
	if err != nil || len(found) != 1 {
		m.t.Fatalf("got the files %v, %v, want one", found, err)
	}
	return found[0]
}

// TestS3JoinsParts checks that the object consists of the latest version of each part, in any order and with any
// sizes. Parts of equal size are joined without a copy.
func TestS3JoinsParts(t *testing.T) {
	dir := t.TempDir()
	client := startS3(t, S3Config{Dir: dir})
	random := contentOf(4 * partBytes)
	a, b, c, last := random[:partBytes], random[partBytes:2*partBytes], random[2*partBytes:3*partBytes], random[3*partBytes:3*partBytes+1000]
	type step struct {
		number  int
		content []byte
	}
	for name, test := range map[string]struct {
		steps  []step
		join   []int
		want   [][]byte
		copied bool
	}{
		"one part":              {steps: []step{{1, last}}, join: []int{1}, want: [][]byte{last}},
		"parts in order":        {steps: []step{{1, a}, {2, b}, {3, last}}, join: []int{1, 2, 3}, want: [][]byte{a, b, last}},
		"last part sent first":  {steps: []step{{3, last}, {2, b}, {1, a}}, join: []int{1, 2, 3}, want: [][]byte{a, b, last}},
		"replaced parts":        {steps: []step{{1, a}, {2, a}, {2, b}, {3, last}, {3, last}}, join: []int{1, 2, 3}, want: [][]byte{a, b, last}},
		"last part was larger":  {steps: []step{{1, a}, {2, b}, {2, last}}, join: []int{1, 2}, want: [][]byte{a, last}, copied: true},
		"first part was larger": {steps: []step{{1, random[:2*partBytes]}, {2, b}, {1, a}}, join: []int{1, 2}, want: [][]byte{a, b}},
		"first part is smaller": {steps: []step{{1, a}, {2, random}}, join: []int{1, 2}, want: [][]byte{a, random}, copied: true},
		"with a gap":            {steps: []step{{1, a}, {3, c}}, join: []int{1, 3}, want: [][]byte{a, c}, copied: true},
		"without the last part": {steps: []step{{1, a}, {2, b}, {3, c}}, join: []int{1, 2}, want: [][]byte{a, b}, copied: true},
	} {
		t.Run(name, func(t *testing.T) {
			m := beginParts(t, client, dir, name)
			for _, s := range test.steps {
				m.send(s.number, s.content)
			}
			var placed os.FileInfo
			if len(test.join) > 1 {
				var err error
				if placed, err = os.Stat(m.placed()); err != nil {
					t.Fatal(err)
				}
			}
			m.join(slices.Concat(test.want...), test.join...)
			if object, err := os.Stat(m.object()); err != nil || placed != nil && os.SameFile(placed, object) == test.copied {
				t.Errorf("joined without a copy: got %t, %v, want %t", os.SameFile(placed, object), err, !test.copied)
			}
		})
	}
}

// TestS3RejectsPartWithWrongChecksum checks that a part that does not match its checksum is not stored.
func TestS3RejectsPartWithWrongChecksum(t *testing.T) {
	dir := t.TempDir()
	m := beginParts(t, startS3(t, S3Config{Dir: dir}), dir, "a")
	_, err := m.client.UploadPart(t.Context(), &s3.UploadPartInput{
		Bucket: aws.String(testBucket), Key: &m.key, UploadId: m.id, PartNumber: aws.Int32(1), Body: bytes.NewReader([]byte("text")), ChecksumCRC32: aws.String("AAAAAA=="),
	})
	if refused, ok := errors.AsType[smithy.APIError](err); !ok || refused.ErrorCode() != "BadDigest" {
		t.Errorf("got error %v, want BadDigest", err)
	}
	listed, err := m.client.ListParts(t.Context(), &s3.ListPartsInput{Bucket: aws.String(testBucket), Key: &m.key, UploadId: m.id})
	if err != nil || len(listed.Parts) > 0 {
		t.Errorf("ListParts = %+v, %v, want no parts", listed, err)
	}
	m.send(1, []byte("text"))
	m.join([]byte("text"), 1)
}

// TestS3PartsDoNotChangeAnObject simulates a kill at the end of a join: the upload is still open, but its file is the
// object. A later part must not change it.
func TestS3PartsDoNotChangeAnObject(t *testing.T) {
	dir := t.TempDir()
	m := beginParts(t, startS3(t, S3Config{Dir: dir}), dir, "a")
	content := contentOf(2 * partBytes)
	m.send(1, content[:partBytes])
	object := filepath.Join(dir, "objects", testBucket, "object")
	if err := os.Link(m.placed(), object); err != nil {
		t.Fatal(err)
	}
	m.send(2, content[partBytes:])
	m.join(content, 1, 2)
	if stored, err := os.ReadFile(object); err != nil || !bytes.Equal(stored, content[:partBytes]) {
		t.Errorf("the object has %d bytes, %v, want the %d bytes of the first part", len(stored), err, partBytes)
	}
}

// TestS3RejectsPartThatCannotBeSynced checks that a part that cannot be synced is rejected and not listed.
func TestS3RejectsPartThatCannotBeSynced(t *testing.T) {
	dir := t.TempDir()
	var broken atomic.Bool
	m := beginParts(t, startS3(t, S3Config{Dir: dir, sync: func(file *os.File) error {
		if broken.Load() {
			return errors.New("the disk is broken")
		}
		return file.Sync()
	}}), dir, "a")
	for _, again := range []bool{false, true} {
		if again {
			m.send(1, []byte("text"))
		}
		broken.Store(true)
		_, err := m.client.UploadPart(t.Context(), &s3.UploadPartInput{
			Bucket: aws.String(testBucket), Key: &m.key, UploadId: m.id, PartNumber: aws.Int32(1),
			Body: bytes.NewReader([]byte("more")), ChecksumAlgorithm: types.ChecksumAlgorithmCrc32,
		})
		broken.Store(false)
		if err == nil {
			t.Errorf("sent again %t: UploadPart succeeded although the sync failed, want an error", again)
		}
		listed, err := m.client.ListParts(t.Context(), &s3.ListPartsInput{Bucket: aws.String(testBucket), Key: &m.key, UploadId: m.id})
		if err != nil || again && (len(listed.Parts) != 1 || *listed.Parts[0].ETag != *m.parts[1].ETag) || !again && len(listed.Parts) > 0 {
			t.Errorf("sent again %t: ListParts = %+v, %v, want only the part stored before", again, listed, err)
		}
	}
	m.join([]byte("text"), 1)
}

// TestS3PartDoesNotReopenUpload aborts an upload while the gateway stores one of its parts.
func TestS3PartDoesNotReopenUpload(t *testing.T) {
	dir := t.TempDir()
	var m *partsUpload
	var aborts atomic.Bool
	m = beginParts(t, startS3(t, S3Config{Dir: dir, sync: func(file *os.File) error {
		if aborts.CompareAndSwap(true, false) {
			_, err := m.client.AbortMultipartUpload(t.Context(), &s3.AbortMultipartUploadInput{Bucket: aws.String(testBucket), Key: &m.key, UploadId: m.id})
			return errors.Join(err, file.Sync())
		}
		return file.Sync()
	}}), dir, "a")
	m.send(1, []byte("text"))
	aborts.Store(true)
	for range 2 {
		_, err := m.client.UploadPart(t.Context(), &s3.UploadPartInput{
			Bucket: aws.String(testBucket), Key: &m.key, UploadId: m.id, PartNumber: aws.Int32(1),
			Body: bytes.NewReader([]byte("more")), ChecksumAlgorithm: types.ChecksumAlgorithmCrc32,
		})
		if refused, ok := errors.AsType[smithy.APIError](err); !ok || refused.ErrorCode() != "NoSuchUpload" {
			t.Errorf("got %v, want NoSuchUpload", err)
		}
	}
	if left, err := filepath.Glob(filepath.Join(dir, "objects", testBucket, ".sgwtmp", "multipart", "*", *m.id)); err != nil || len(left) > 0 {
		t.Errorf("got the directories %q, %v, want none", left, err)
	}
}
