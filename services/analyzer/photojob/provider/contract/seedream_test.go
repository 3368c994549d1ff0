package contract_test

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/volcengine/volcengine-go-sdk/service/arkruntime"
	"github.com/volcengine/volcengine-go-sdk/service/arkruntime/model"

	"github.com/assay-project/assay/pkg/extract/budget"
	"github.com/assay-project/assay/pkg/extract/pixels"
	"github.com/assay-project/assay/pkg/extract/wasm"
	"github.com/assay-project/assay/services/analyzer/photojob/provider"
	"github.com/assay-project/assay/services/analyzer/photojob/provider/providertest"
	"github.com/assay-project/assay/services/analyzer/photojob/provider/seedream"
	"github.com/assay-project/assay/services/analyzer/photojob/provider/seedream/seedreamtest"
)

func newArk(t *testing.T, url, key string) *arkruntime.Client {
	return arkruntime.NewClientWithApiKey(key, arkruntime.WithBaseUrl(url), arkruntime.WithRetryTimes(0), arkruntime.WithHTTPClient(providertest.Client(t)))
}

func arkEdit(ctx context.Context, client *arkruntime.Client, c provider.Call, size string) (model.ImagesResponse, error) {
	format, watermark, sequential := "b64_json", false, model.SequentialImageGeneration("disabled")
	return client.GenerateImages(ctx, model.GenerateImagesRequest{
		Model: seedreamtest.Model, Prompt: c.Prompt, ResponseFormat: &format, Seed: &c.Options.Seed, Size: &size, Watermark: &watermark,
		Image: "data:" + c.MediaType + ";base64," + base64.StdEncoding.EncodeToString(c.Image), SequentialImageGeneration: &sequential,
	}, arkruntime.WithCustomHeader(model.ClientRequestHeader, c.ID))
}

// TestSeedreamEdit checks that the SDK sends the same request as the adapter, and receives the
// picture that the adapter returns.
func TestSeedreamEdit(t *testing.T) {
	server := seedreamtest.Start(t)
	answer, err := arkEdit(t.Context(), newArk(t, server.URL, seedreamtest.Key), edit(), "2730x1536")
	if err != nil {
		t.Fatal(err)
	}
	p := seedream.New(seedream.Config{BaseURL: server.URL, Key: seedreamtest.Key, Model: seedreamtest.Model, CostMicros: 1, Time: time.Minute},
		providertest.Client(t), pixels.NewDecoder(budget.New(1<<30), wasm.Config{}))
	ours, usage, err := p.Edit(t.Context(), edit())
	if err != nil {
		t.Fatal(err)
	}
	sameRequests(t, "../seedream/testdata/edit.json", server.Requests())
	theirs, err := base64.StdEncoding.DecodeString(*answer.Data[0].B64Json)
	if err != nil {
		t.Fatal(err)
	}
	samePixels(t, theirs, ours.Image)
	if ids := server.IDs(); ids[0] != edit().ID || ids[1] != edit().ID || answer.Usage.GeneratedImages != usage.CostMicros {
		t.Errorf("got ids %v, usage %+v and %+v, want %s twice and the usage of one picture", ids, answer.Usage, usage, edit().ID)
	}
}

// TestSeedreamErrors checks that the SDK parses the errors of the test server.
func TestSeedreamErrors(t *testing.T) {
	server := seedreamtest.Start(t)
	want := func(err error, status int, code string) {
		t.Helper()
		failed, ok := errors.AsType[*model.APIError](err)
		if !ok || failed.HTTPStatusCode != status || failed.Code != code {
			t.Errorf("got %+v, want %d %s", err, status, code)
		}
	}
	server.Next(providertest.TooMany("7", seedreamtest.Error("ModelAccountIpmRateLimitExceeded", "slower")))
	_, err := arkEdit(t.Context(), newArk(t, server.URL, seedreamtest.Key), edit(), "2K")
	want(err, http.StatusTooManyRequests, "ModelAccountIpmRateLimitExceeded")
	_, err = arkEdit(t.Context(), newArk(t, server.URL, "revoked"), edit(), "2K")
	want(err, http.StatusUnauthorized, "AuthenticationError")
}
