package e2e

import (
	"testing"

	"github.com/assay-project/assay/services/analyzer/photojob/provider/gemini/geminitest"
	"github.com/assay-project/assay/services/analyzer/photojob/provider/providertest"
	"github.com/assay-project/assay/services/assay/client"
)

// paidPhotosAreEdited: a paid provider edits a photo, after an answer that is too large to be
// stored.
func paidPhotosAreEdited(t *testing.T, start starter) {
	gemini := geminitest.Start(t)
	c := start(t, "ASSAY_GEMINI_KEY="+geminitest.Key, "ASSAY_PHOTOJOB_ALLOW_NETWORKS=127.0.0.0/8")
	ingest := c.service(t, "ingest")
	c.front(t, ingest, c.service(t, "query"))
	c.service(t, "analyzer")
	setPhotoProvider(t, ingest.operator, "gemini", settings{
		"enabled": true, "baseUrl": gemini.URL, "analyzeModel": geminitest.AnalyzeModel, "editModel": geminitest.EditModel,
	})
	gemini.Next(providertest.OK, providertest.Huge)
	owner := c.client(t, newOwner())
	job, err := owner.UploadPhoto(within(t), photoSource("a photo.jpg", "a red boat", drawPhoto(t, 1)), client.PhotoOptions{Provider: "gemini"})
	if err != nil {
		t.Fatal(err)
	}
	if done := endOf(t, owner, job.JobID, client.Completed); done.Provider != "gemini" || gemini.Calls() != 3 {
		t.Errorf("after %d calls the job is %s", gemini.Calls(), show(done))
	}
}
