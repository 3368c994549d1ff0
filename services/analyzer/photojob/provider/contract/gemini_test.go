package contract_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"os"
	"testing"
	"time"

	"google.golang.org/genai"

	"github.com/assay-project/assay/pkg/extract/budget"
	"github.com/assay-project/assay/pkg/extract/pixels"
	"github.com/assay-project/assay/pkg/extract/wasm"
	"github.com/assay-project/assay/services/analyzer/photojob/provider"
	"github.com/assay-project/assay/services/analyzer/photojob/provider/gemini"
	"github.com/assay-project/assay/services/analyzer/photojob/provider/gemini/geminitest"
	"github.com/assay-project/assay/services/analyzer/photojob/provider/providertest"
)

func newGenAI(t *testing.T, url, key string) *genai.Client {
	t.Helper()
	client, err := genai.NewClient(t.Context(), &genai.ClientConfig{
		APIKey: key, Backend: genai.BackendGeminiAPI, HTTPClient: providertest.Client(t), HTTPOptions: genai.HTTPOptions{BaseURL: url},
	})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func newGemini(t *testing.T, url, key string) *gemini.Provider {
	return gemini.New(gemini.Config{
		BaseURL: url, Key: key,
		Analyze: gemini.Step{Model: geminitest.AnalyzeModel, Time: time.Minute},
		Edit:    gemini.Step{Model: geminitest.EditModel, Time: 2 * time.Minute},
	}, providertest.Client(t), pixels.NewDecoder(budget.New(1<<30), wasm.Config{}))
}

// edit returns the call that both clients make.
func edit() provider.Call {
	call := providertest.Call()
	call.Options = provider.Options{Format: "png", AspectRatio: "16:9", Seed: 4}
	return call
}

func genAIEdit(ctx context.Context, client *genai.Client, c provider.Call) (*genai.GenerateContentResponse, error) {
	return client.Models.GenerateContent(ctx, geminitest.EditModel, contents(c.Prompt, c), &genai.GenerateContentConfig{
		ResponseModalities: []string{"TEXT", "IMAGE"}, ImageConfig: &genai.ImageConfig{AspectRatio: c.Options.AspectRatio},
		Seed: genai.Ptr(int32(c.Options.Seed)),
	})
}

func contents(prompt string, c provider.Call) []*genai.Content {
	parts := []*genai.Part{{Text: prompt}, {InlineData: &genai.Blob{Data: c.Image, MIMEType: c.MediaType}}}
	return []*genai.Content{{Role: genai.RoleUser, Parts: parts}}
}

// TestGeminiEdit checks that the SDK sends the same request as the adapter, and receives the
// picture that the adapter returns.
func TestGeminiEdit(t *testing.T) {
	server := geminitest.Start(t)
	answer, err := genAIEdit(t.Context(), newGenAI(t, server.URL, geminitest.Key), edit())
	if err != nil {
		t.Fatal(err)
	}
	ours, usage, err := newGemini(t, server.URL, geminitest.Key).Edit(t.Context(), edit())
	if err != nil {
		t.Fatal(err)
	}
	sameRequests(t, "../gemini/testdata/edit.json", server.Requests())
	for _, part := range answer.Candidates[0].Content.Parts {
		if part.InlineData != nil {
			samePixels(t, part.InlineData.Data, ours.Image)
		}
	}
	if answer.Candidates[0].FinishReason != genai.FinishReasonStop || answer.UsageMetadata.TotalTokenCount == 0 || answer.ResponseID != usage.RequestID {
		t.Errorf("the SDK returned %+v %+v, the adapter %+v; want a stop, a usage and the same request id", answer.Candidates[0], answer.UsageMetadata, usage)
	}
}

// TestGeminiAnalyze compares the requests and responses of the SDK and the adapter for a
// description.
func TestGeminiAnalyze(t *testing.T) {
	server := geminitest.Start(t)
	found, _, err := newGemini(t, server.URL, geminitest.Key).Analyze(t.Context(), providertest.Call())
	if err != nil {
		t.Fatal(err)
	}
	likelihood := &genai.Schema{Type: genai.TypeString, Enum: []string{"VERY_UNLIKELY", "UNLIKELY", "POSSIBLE", "LIKELY", "VERY_LIKELY"}}
	object := func(required []string, properties map[string]*genai.Schema) *genai.Schema {
		return &genai.Schema{Type: genai.TypeObject, Required: required, Properties: properties}
	}
	answer, err := newGenAI(t, server.URL, geminitest.Key).Models.GenerateContent(t.Context(), geminitest.AnalyzeModel,
		contents(prompted(t, server.Requests()[0]), providertest.Call()), &genai.GenerateContentConfig{
			ResponseMIMEType: "application/json", MaxOutputTokens: 4096,
			ResponseSchema: object([]string{"labels", "description", "safeSearch"}, map[string]*genai.Schema{
				"description": {Type: genai.TypeString},
				"labels": {Type: genai.TypeArray, Items: object([]string{"name", "confidence"}, map[string]*genai.Schema{
					"name": {Type: genai.TypeString}, "confidence": {Type: genai.TypeNumber},
				})},
				"safeSearch": object([]string{"adult", "violence"}, map[string]*genai.Schema{"adult": likelihood, "violence": likelihood}),
			}),
		})
	if err != nil {
		t.Fatal(err)
	}
	sameRequests(t, "../gemini/testdata/analyze.json", server.Requests())
	if answer.Text() != geminitest.Analysis || !bytes.Contains([]byte(answer.Text()), []byte(found.Description)) {
		t.Errorf("the SDK returned %s, the adapter %+v; want the same description", answer.Text(), found)
	}
}

// TestGeminiErrors checks that the SDK parses the errors of the test server, and the response to
// the free call.
func TestGeminiErrors(t *testing.T) {
	server := geminitest.Start(t)
	client := newGenAI(t, server.URL, geminitest.Key)
	if model, err := client.Models.Get(t.Context(), geminitest.EditModel, nil); err != nil || model.Name != "models/"+geminitest.EditModel {
		t.Errorf("got %+v, %v, want models/%s", model, err, geminitest.EditModel)
	}
	want := func(err error, code int, status, detail string) {
		t.Helper()
		failed, ok := errors.AsType[genai.APIError](err)
		if !ok || failed.Code != code || failed.Status != status || len(failed.Details) != 1 || failed.Details[0]["@type"] != "type.googleapis.com/google.rpc."+detail {
			t.Errorf("got %+v, want %d %s with %s", err, code, status, detail)
		}
	}
	server.Next(geminitest.TooMany(geminitest.RetryInfo("55s")), geminitest.TooMany(geminitest.PerDay))
	_, err := genAIEdit(t.Context(), client, edit())
	want(err, http.StatusTooManyRequests, "RESOURCE_EXHAUSTED", "RetryInfo")
	_, err = genAIEdit(t.Context(), client, edit())
	want(err, http.StatusTooManyRequests, "RESOURCE_EXHAUSTED", "QuotaFailure")
	_, err = genAIEdit(t.Context(), newGenAI(t, server.URL, "revoked"), edit())
	want(err, http.StatusBadRequest, "INVALID_ARGUMENT", "ErrorInfo")
	server.Next(providertest.Answer(geminitest.Candidate("IMAGE_SAFETY")))
	if answer, err := genAIEdit(t.Context(), client, edit()); err != nil || answer.Candidates[0].FinishReason != genai.FinishReasonImageSafety {
		t.Errorf("got %+v, %v, want finish reason %s", answer, err, genai.FinishReasonImageSafety)
	}
}

// TestGeminiLive makes one paid edit with each client, one description and the free call, with the key
// ASSAY_LIVE_GEMINI_KEY. It is billed for two pictures and a description.
func TestGeminiLive(t *testing.T) {
	key := os.Getenv("ASSAY_LIVE_GEMINI_KEY")
	if key == "" {
		t.Skip("NOT COMPARED WITH THE REAL API: set ASSAY_LIVE_GEMINI_KEY; the test is billed for two pictures and a description")
	}
	p := newGemini(t, gemini.Endpoint, key)
	if err := p.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	if found, _, err := p.Analyze(t.Context(), providertest.Call()); err != nil || found.Description == "" {
		t.Errorf("got %+v, %v, want a description", found, err)
	}
	if edited, usage, err := p.Edit(t.Context(), edit()); err != nil || edited.Width == 0 || usage.RequestID == "" {
		t.Errorf("got %d × %d, %+v, %v, want a picture and a request id", edited.Width, edited.Height, usage, err)
	}
	if _, err := genAIEdit(t.Context(), newGenAI(t, gemini.Endpoint, key), edit()); err != nil {
		t.Error(err)
	}
	err := newGemini(t, gemini.Endpoint, "revoked").Check(t.Context())
	if !providertest.IsError(err, provider.Suspend, provider.AccessDenied, provider.NotBilled) {
		t.Errorf("with an invalid key: got %v, want %s", err, provider.AccessDenied)
	}
}
