package photos

import (
	"testing"

	"github.com/assay-project/assay/services/analyzer/photojob/provider/gemini/geminitest"
	"github.com/assay-project/assay/services/analyzer/photojob/provider/providertest"
	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// paidPhotosAreEdited: a paid provider edits a photo, after a response that is too large to be stored.
func paidPhotosAreEdited(t *testing.T, start system.Starter) {
	gemini := geminitest.Start(t)
	c := start(t, "ASSAY_GEMINI_KEY="+geminitest.Key, "ASSAY_PHOTOJOB_ALLOW_NETWORKS=127.0.0.0/8")
	ingest := c.Service(t, "ingest")
	c.Front(t, ingest, c.Service(t, "query"))
	c.Service(t, "analyzer")
	setPhotoProvider(t, ingest.Operator, "gemini", system.Settings{
		"enabled": true, "baseUrl": gemini.URL, "analyzeModel": geminitest.AnalyzeModel, "editModel": geminitest.EditModel,
	})
	gemini.Next(providertest.OK, providertest.Huge)
	owner := c.Client(t, system.NewOwner())
	job, err := owner.UploadPhoto(system.Within(t), system.PhotoSource("a photo.jpg", "a red boat", system.DrawPhoto(t, 1)), client.PhotoOptions{Provider: "gemini"})
	if err != nil {
		t.Fatal(err)
	}
	if done := system.AwaitPhoto(t, owner, job.JobID, client.Completed); done.Provider != "gemini" || gemini.Calls() != 3 {
		t.Errorf("after %d calls, the job is %s, want 3 calls and the provider gemini", gemini.Calls(), system.JSON(done))
	}
}
