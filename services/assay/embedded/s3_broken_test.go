package embedded

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// wireText is larger than what a server reads together with the header.
var wireText = strings.Repeat("one two three ", 20_000)

// request is an upload that can be sent more than once.
type request struct {
	method, url string
	header      http.Header
	body        string // encoded as sent
}

func (r request) build(t *testing.T) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), r.method, r.url, strings.NewReader(r.body))
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(req.Header, r.header)
	return req
}

// signWire returns the ways to sign and encode an upload of wireText to an
// object, or to a part of one if upload is not empty.
func signWire(t *testing.T, client *s3.Client, key, upload string) map[string]request {
	t.Helper()
	digest := sha256.Sum256([]byte(wireText))
	sum := base64.StdEncoding.EncodeToString(digest[:])
	query := ""
	if upload != "" {
		query = "?partNumber=1&uploadId=" + upload
	}
	target := aws.ToString(client.Options().BaseEndpoint) + "/" + testBucket + "/" + key + query
	return map[string]request{
		"presigned":                 presignWire(t, client, key, upload, ""),
		"presigned with a checksum": presignWire(t, client, key, upload, sum),
		"signed with a hash":        signHeader(t, target, fmt.Sprintf("%x", digest), http.Header{}, wireText),
		"signed without a hash":     signHeader(t, target, "UNSIGNED-PAYLOAD", http.Header{}, wireText),
		"aws-chunked":               signHeader(t, target, "STREAMING-UNSIGNED-PAYLOAD-TRAILER", chunkedHeader(), chunked()),
		"signed with a checksum":    signHeader(t, target, "UNSIGNED-PAYLOAD", http.Header{"X-Amz-Checksum-Sha256": {sum}}, wireText),
	}
}

func presignWire(t *testing.T, client *s3.Client, key, upload, sum string) request {
	t.Helper()
	options := client.Options()
	options.RequestChecksumCalculation = aws.RequestChecksumCalculationWhenRequired
	signer := s3.NewPresignClient(s3.New(options), s3.WithPresignExpires(time.Minute))
	length := aws.Int64(int64(len(wireText)))
	var checksum *string
	if sum != "" {
		checksum = &sum
	}
	var signed *v4.PresignedHTTPRequest
	var err error
	if upload == "" {
		signed, err = signer.PresignPutObject(t.Context(), &s3.PutObjectInput{
			Bucket: aws.String(testBucket), Key: &key, ContentLength: length, ChecksumSHA256: checksum, IfNoneMatch: aws.String("*"),
		})
	} else {
		signed, err = signer.PresignUploadPart(t.Context(), &s3.UploadPartInput{
			Bucket: aws.String(testBucket), Key: &key, UploadId: &upload, PartNumber: aws.Int32(1), ContentLength: length, ChecksumSHA256: checksum,
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	header := signed.SignedHeader.Clone()
	header.Del("Host")
	header.Del("Content-Length")
	return request{method: signed.Method, url: signed.URL, header: header, body: wireText}
}

// signHeader signs a PUT in its Authorization header.
func signHeader(t *testing.T, target, payloadHash string, header http.Header, body string) request {
	t.Helper()
	r := request{method: http.MethodPut, url: target, header: header, body: body}
	r.header.Set("X-Amz-Content-Sha256", payloadHash)
	req := r.build(t)
	account := credentials.NewStaticCredentialsProvider(testKey, testSecret, "")
	key, err := account.Retrieve(context.Background())
	if err == nil {
		err = v4.NewSigner().SignHTTP(t.Context(), key, req, payloadHash, "s3", "us-east-1", time.Now())
	}
	if err != nil {
		t.Fatal(err)
	}
	r.header = req.Header
	return r
}

func chunkedHeader() http.Header {
	return http.Header{
		"Content-Encoding": {"aws-chunked"}, "X-Amz-Trailer": {"x-amz-checksum-crc32"},
		"X-Amz-Decoded-Content-Length": {fmt.Sprint(len(wireText))},
	}
}

// chunked returns wireText in the aws-chunked encoding with a checksum as trailer.
func chunked() string {
	const size = 64 << 10
	var out strings.Builder
	for rest := wireText; rest != ""; {
		chunk := rest[:min(size, len(rest))]
		rest = rest[len(chunk):]
		fmt.Fprintf(&out, "%x\r\n%s\r\n", len(chunk), chunk)
	}
	sum := crc32.ChecksumIEEE([]byte(wireText))
	trailer := base64.StdEncoding.EncodeToString([]byte{byte(sum >> 24), byte(sum >> 16), byte(sum >> 8), byte(sum)})
	fmt.Fprintf(&out, "0\r\nx-amz-checksum-crc32:%s\r\n\r\n", trailer)
	return out.String()
}

// cuts returns the positions at which a body ends early: before its first byte, in the middle, and before its last
// byte.
func cuts(r request) []int { return []int{0, len(r.body) / 2, len(r.body) - 1} }

// sendPart sends the header of r and sent bytes of its body over a new connection, and closes or
// resets the connection. It returns the status, or 0 if the connection is reset.
func sendPart(t *testing.T, r request, sent int, reset bool) int {
	t.Helper()
	var wire bytes.Buffer
	req := r.build(t)
	if err := req.Write(&wire); err != nil {
		t.Fatal(err)
	}
	conn, err := net.Dial("tcp", req.URL.Host)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	tcp := conn.(*net.TCPConn)
	if _, err := conn.Write(wire.Bytes()[:wire.Len()-len(r.body)+sent]); err != nil {
		t.Fatal(err)
	}
	if reset {
		if err := tcp.SetLinger(0); err != nil {
			t.Fatal(err)
		}
		return 0
	}
	if err := tcp.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	answer, err := http.ReadResponse(bufio.NewReader(conn), req)
	if err != nil {
		t.Fatalf("read the response after %d bytes: %v", sent, err)
	}
	defer answer.Body.Close()
	return answer.StatusCode
}

// sendAll sends the complete request.
func sendAll(t *testing.T, r request) {
	t.Helper()
	answer, err := new(http.Client).Do(r.build(t))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if text, err := io.ReadAll(answer.Body); err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("complete request: got status %d, %v, want 200: %s", answer.StatusCode, err, text)
	}
}

// filesIn returns the files of all objects in the directory of a server.
func filesIn(t *testing.T, dir string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(dir, "objects"), func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestS3RejectsIncompleteObject checks that a body that ends before its length is not stored,
// and that the same request then works.
func TestS3RejectsIncompleteObject(t *testing.T) {
	dir := t.TempDir()
	client := startS3(t, S3Config{Dir: dir})
	for name, r := range signWire(t, client, "a", "") {
		t.Run(name, func(t *testing.T) {
			for _, sent := range cuts(r) {
				if status := sendPart(t, r, sent, false); status < http.StatusBadRequest {
					t.Errorf("after %d of %d bytes: got status %d, want an error", sent, len(r.body), status)
				}
				if files := filesIn(t, dir); len(files) > 0 {
					t.Errorf("after %d of %d bytes: got the files %q, want none", sent, len(r.body), files)
				}
			}
			sendPart(t, r, len(r.body)/2, true)
			sendAll(t, r)
			if body, _ := get(t, client, "a"); body != wireText {
				t.Errorf("stored %d bytes, want %d", len(body), len(wireText))
			}
			if _, err := client.DeleteObject(t.Context(), &s3.DeleteObjectInput{Bucket: aws.String(testBucket), Key: aws.String("a")}); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestS3RejectsIncompletePart checks that a part of a multipart upload that ends before its length is not listed,
// and that the same request then works.
func TestS3RejectsIncompletePart(t *testing.T) {
	client := startS3(t, S3Config{})
	bucket, key := aws.String(testBucket), aws.String("a")
	begun, err := client.CreateMultipartUpload(t.Context(), &s3.CreateMultipartUploadInput{Bucket: bucket, Key: key})
	if err != nil {
		t.Fatal(err)
	}
	listed := func(t *testing.T) []types.Part {
		t.Helper()
		parts, err := client.ListParts(t.Context(), &s3.ListPartsInput{Bucket: bucket, Key: key, UploadId: begun.UploadId})
		if err != nil {
			t.Fatal(err)
		}
		return parts.Parts
	}
	requests := signWire(t, client, "a", *begun.UploadId)
	for name, r := range requests {
		t.Run(name, func(t *testing.T) {
			for _, sent := range cuts(r) {
				if status := sendPart(t, r, sent, false); status < http.StatusBadRequest {
					t.Errorf("after %d of %d bytes: got status %d, want an error", sent, len(r.body), status)
				}
			}
			if parts := listed(t); len(parts) > 0 {
				t.Errorf("ListParts returned %d parts of size %d, want none", len(parts), *parts[0].Size)
			}
		})
	}
	for name, r := range requests {
		t.Run(name+", then complete", func(t *testing.T) {
			sendAll(t, r)
			sendPart(t, r, len(r.body)/2, true)
			if parts := listed(t); len(parts) != 1 || *parts[0].Size != int64(len(wireText)) {
				t.Errorf("ListParts returned %v, want one part of %d bytes", parts, len(wireText))
			}
		})
	}
	_, err = client.CompleteMultipartUpload(t.Context(), &s3.CompleteMultipartUploadInput{
		Bucket: bucket, Key: key, UploadId: begun.UploadId,
		MultipartUpload: &types.CompletedMultipartUpload{Parts: []types.CompletedPart{{PartNumber: aws.Int32(1), ETag: listed(t)[0].ETag}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if body, _ := get(t, client, "a"); body != wireText {
		t.Errorf("stored %d bytes, want the %d bytes of the part", len(body), len(wireText))
	}
}
