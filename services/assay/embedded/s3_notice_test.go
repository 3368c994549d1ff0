package embedded

import (
	"bytes"
	"context"
	"errors"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// startWatched starts the server with a channel of the reported objects. A notice precedes the
// response, so it is in the channel when the response arrives.
func startWatched(t *testing.T) (*s3.Client, chan Object) {
	t.Helper()
	notices := make(chan Object, 10)
	return startS3(t, S3Config{Created: func(_ context.Context, o Object) error {
		notices <- o
		return errors.New("a failed notice does not fail the upload")
	}}), notices
}

func wantNotice(t *testing.T, client *s3.Client, notices chan Object, key string, size int64) {
	t.Helper()
	head, err := client.HeadObject(t.Context(), &s3.HeadObjectInput{Bucket: aws.String(testBucket), Key: &key})
	if err != nil {
		t.Fatal(err)
	}
	want := Object{Bucket: testBucket, Key: key, Size: size, ETag: strings.Trim(*head.ETag, `"`)}
	if len(notices) != 1 {
		t.Fatalf("got %d notices, want 1", len(notices))
	}
	if got := <-notices; got != want {
		t.Fatalf("notified of %+v, want %+v", got, want)
	}
}

func TestS3NotifiesOfPut(t *testing.T) {
	client, notices := startWatched(t)
	put(t, client, "files/1/a", "12345")
	wantNotice(t, client, notices, "files/1/a", 5)
}

func TestS3NotifiesOfPresignedPutOnce(t *testing.T) {
	client, notices := startWatched(t)
	signed := presign(t, client, "files/1/a")
	for _, want := range []int{http.StatusOK, http.StatusPreconditionFailed} {
		if status, answer, err := send(t.Context(), signed, presignedBody, nil); err != nil || status != want {
			t.Fatalf("got status %d, %v, want %d: %s", status, err, want, answer)
		}
	}
	wantNotice(t, client, notices, "files/1/a", int64(len(presignedBody)))
}

func TestS3NotifiesOfCopy(t *testing.T) {
	client, notices := startWatched(t)
	put(t, client, "files/1/a", "12345")
	<-notices
	_, err := client.CopyObject(t.Context(), &s3.CopyObjectInput{
		Bucket: aws.String(testBucket), Key: aws.String("files/2/b"), CopySource: aws.String(testBucket + "/files/1/a"),
	})
	if err != nil {
		t.Fatal(err)
	}
	wantNotice(t, client, notices, "files/2/b", 5)
}

func TestS3NotifiesOfPostedForm(t *testing.T) {
	client, notices := startWatched(t)
	post, err := s3.NewPresignClient(client).PresignPostObject(t.Context(), &s3.PutObjectInput{
		Bucket: aws.String(testBucket), Key: aws.String("files/1/a"),
	})
	if err != nil {
		t.Fatal(err)
	}
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	for name, value := range post.Values {
		if err := w.WriteField(name, value); err != nil {
			t.Fatal(err)
		}
	}
	part, err := w.CreateFormFile("file", "a.txt")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := part.Write([]byte("12345")); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	resp, err := new(http.Client).Post(post.URL, w.FormDataContentType(), &form)
	if err != nil {
		t.Fatal(err)
	}
	if err := resp.Body.Close(); err != nil || resp.StatusCode/100 != 2 {
		t.Fatalf("got status %s, %v, want 2xx", resp.Status, err)
	}
	wantNotice(t, client, notices, "files/1/a", 5)
}

func TestS3NotifiesOfCompletedMultipartUpload(t *testing.T) {
	client, notices := startWatched(t)
	bucket, key := aws.String(testBucket), aws.String("files/1/a")
	upload, err := client.CreateMultipartUpload(t.Context(), &s3.CreateMultipartUploadInput{Bucket: bucket, Key: key})
	if err != nil {
		t.Fatal(err)
	}
	// 5 MiB is the smallest part size that S3 accepts before the last part.
	sizes := []int{5 << 20, 10}
	var parts []types.CompletedPart
	for i, size := range sizes {
		number := aws.Int32(int32(i + 1))
		part, err := client.UploadPart(t.Context(), &s3.UploadPartInput{
			Bucket: bucket, Key: key, UploadId: upload.UploadId, PartNumber: number, Body: bytes.NewReader(make([]byte, size)),
		})
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, types.CompletedPart{ETag: part.ETag, PartNumber: number, ChecksumCRC32: part.ChecksumCRC32})
	}
	if len(notices) != 0 {
		t.Fatal("notified before the upload was complete, want no notification")
	}
	_, err = client.CompleteMultipartUpload(t.Context(), &s3.CompleteMultipartUploadInput{
		Bucket: bucket, Key: key, UploadId: upload.UploadId, MultipartUpload: &types.CompletedMultipartUpload{Parts: parts},
	})
	if err != nil {
		t.Fatal(err)
	}
	wantNotice(t, client, notices, *key, int64(sizes[0]+sizes[1]))
}
