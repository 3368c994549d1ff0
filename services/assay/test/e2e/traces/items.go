package traces

import (
	"net/http"
	"testing"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// item is an item of an area, with the ends of the paths of spans that its trace contains.
type item struct {
	send      func(*testing.T, *caller)
	event     string // of the webhook
	ownerless bool   // no owner's webhook is called
	hops      []string
}

const (
	transaction = "DynamoDB.TransactWriteItems"
	completed   = "analyzer publish assay.v1.AnalysisCompleted > query process assay.v1.AnalysisCompleted"
)

var items = map[string]item{
	"textfile": {
		send: func(t *testing.T, c *caller) {
			system.Await(t, c.Client, system.UploadMultipart(t, c.Client, "a.txt", "text/plain", []byte("one two")).FileID)
		},
		event: "textfile.completed",
		hops: []string{
			"ingest POST /v1/files > ingest " + transaction,
			"ingest POST /v1/files > ingest S3.PutObject",
			"ingest POST /v1/files > ingest upload detected > ingest publish assay.v1.FileUploaded > analyzer process assay.v1.FileUploaded > analyzer claim > analyzer " + transaction,
			"analyzer process assay.v1.FileUploaded > analyzer process > analyzer S3.GetObject",
			"analyzer process assay.v1.FileUploaded > analyzer finish > analyzer " + transaction,
			"analyzer process assay.v1.FileUploaded > " + completed,
		},
	},
	"textfile, uploaded to S3": {
		send: func(t *testing.T, c *caller) {
			system.Await(t, c.Client, system.UploadPresigned(t, c.Client, "a.txt", "text/plain", []byte("one two")).FileID)
		},
		event: "textfile.completed",
		hops: []string{
			"ingest POST /v1/files > ingest upload detected > ingest publish assay.v1.FileUploaded",
			"analyzer process assay.v1.FileUploaded > " + completed,
		},
	},
	"feed": {
		send: func(t *testing.T, c *caller) {
			p := system.NewPosting("A good day", "tag")
			header := map[string]string{"Content-Type": "application/json", "Traceparent": c.parent()}
			if resp, body := c.system.Ask(t, http.MethodPost, "/v1/feed/items", header, system.JSON(p)); resp.StatusCode != http.StatusCreated {
				t.Fatalf("got %d: %s", resp.StatusCode, body)
			}
			c.system.Analyzed(t, p.SourceID)
		},
		ownerless: true,
		hops: []string{
			"ingest POST /v1/feed/items > ingest create feed item > ingest DynamoDB.PutItem",
			"ingest POST /v1/feed/items > ingest create feed item > query project",
			"ingest publish assay.v1.FeedItemAccepted > analyzer process assay.v1.FeedItemAccepted > analyzer process > analyzer S3.GetObject",
			"analyzer process assay.v1.FeedItemAccepted > analyzer finish > analyzer DynamoDB.UpdateItem",
			"analyzer process assay.v1.FeedItemAccepted > " + completed,
		},
	},
	"photojob": {
		send: func(t *testing.T, c *caller) {
			photo := system.SendPhoto(t, c.Client, "make it brighter", system.DrawPhoto(t, 1))
			system.AwaitPhoto(t, c.Client, photo.JobID, "COMPLETED")
		},
		event: "photojob.completed",
		hops: []string{
			"ingest upload detected > ingest publish assay.v1.PhotoUploaded > analyzer process assay.v1.PhotoUploaded > analyzer claim",
			"analyzer process assay.v1.PhotoUploaded > analyzer process > analyzer call local",
			"analyzer process assay.v1.PhotoUploaded > analyzer finish",
			"analyzer process assay.v1.PhotoUploaded > " + completed,
		},
	},
	"library": {
		send: func(t *testing.T, c *caller) {
			body, contentType := system.Form(`form-data; name="file"; filename="a.pdf"`, "application/pdf", document)
			header := map[string]string{"Content-Type": contentType, "X-Owner-Id": c.owner, "Traceparent": c.parent()}
			resp, text := c.system.Ask(t, http.MethodPost, "/v1/library/files", header, body)
			if resp.StatusCode != http.StatusAccepted {
				t.Fatalf("got %d: %s", resp.StatusCode, text)
			}
			var n client.Node
			system.Decode(t, text, &n)
			if n, err := c.WaitNode(system.Within(t), n.ID); err != nil || n.Status != client.LibraryProcessed {
				t.Fatalf("got %+v, %v; want a processed file", n, err)
			}
		},
		event: "library.completed",
		hops: []string{
			"ingest POST /v1/library/files > ingest upload detected > ingest publish assay.v1.LibraryStep > analyzer process assay.v1.LibraryStep > analyzer plan > analyzer publish assay.v1.LibraryStep",
			"analyzer process assay.v1.LibraryStep > analyzer step text > analyzer engine PDFium",
			"analyzer process assay.v1.LibraryStep > analyzer join > analyzer " + transaction,
			"analyzer process assay.v1.LibraryStep > " + completed,
		},
	},
}

// document is a PDF document with the text "one".
const document = "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n" +
	"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>endobj\n" +
	"4 0 obj<</Length 32>>stream\nBT /F 9 Tf 9 9 Td (one) Tj ET   \nendstream endobj\n" +
	"5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj\ntrailer<</Root 1 0 R>>\n"
