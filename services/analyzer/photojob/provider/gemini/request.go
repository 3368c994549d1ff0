package gemini

import (
	"slices"

	"github.com/assay-project/assay/services/analyzer/photojob/provider"
	"github.com/assay-project/assay/services/analyzer/photojob/provider/remote"
)

// request is a request as documented by the API. The order of the fields is that of the official SDK.
type request struct {
	Contents         []content         `json:"contents"`
	GenerationConfig *generationConfig `json:"generationConfig,omitempty"`
}

type content struct {
	Parts []part `json:"parts"`
	Role  string `json:"role,omitempty"`
}

type part struct {
	Text       string `json:"text,omitempty"`
	InlineData *blob  `json:"inlineData,omitempty"`
}

type blob struct {
	Data     []byte `json:"data"` // base64
	MIMEType string `json:"mimeType"`
}

type generationConfig struct {
	ImageConfig        *imageConfig `json:"imageConfig,omitempty"`
	MaxOutputTokens    int          `json:"maxOutputTokens,omitempty"`
	ResponseMIMEType   string       `json:"responseMimeType,omitempty"`
	ResponseModalities []string     `json:"responseModalities,omitempty"`
	ResponseSchema     *schema      `json:"responseSchema,omitempty"`
	Seed               int32        `json:"seed,omitempty"`
}

type imageConfig struct {
	AspectRatio string `json:"aspectRatio,omitempty"`
}

type schema struct {
	Enum       []string           `json:"enum,omitempty"`
	Items      *schema            `json:"items,omitempty"`
	Properties map[string]*schema `json:"properties,omitempty"`
	Required   []string           `json:"required,omitempty"`
	Type       string             `json:"type,omitempty"`
}

func contentsOf(prompt string, c provider.Call) []content {
	return []content{{Role: "user", Parts: []part{{Text: prompt}, {InlineData: &blob{Data: c.Image, MIMEType: c.MediaType}}}}}
}

// ratios lists the aspect ratios that the API supports.
var ratios = []string{"1:1", "2:3", "3:2", "3:4", "4:3", "9:16", "16:9", "21:9"}

// editRequest returns the request for an edit, and the options that it cannot express.
func editRequest(c provider.Call) (r request, degraded string) {
	cfg := &generationConfig{ResponseModalities: []string{"TEXT", "IMAGE"}, Seed: int32(c.Options.Seed)} //nolint:gosec // any seed is valid
	if ratio := c.Options.AspectRatio; slices.Contains(ratios, ratio) {
		cfg.ImageConfig = &imageConfig{AspectRatio: ratio}
	} else if ratio != "" {
		degraded = "the provider does not support the aspect ratio " + ratio
	}
	return request{Contents: contentsOf(remote.Prompt(c), c), GenerationConfig: cfg}, degraded
}

const analysisPrompt = "Describe this photo in at most three sentences. List what it shows as labels with your confidence from 0 to 1. " +
	"Rate how likely it shows adult content and violence."

// maxAnalysis bounds the tokens of a description, including those for thinking, and thus its cost.
const maxAnalysis = 4096

func analysisRequest(c provider.Call) request {
	likelihood := &schema{Type: "STRING", Enum: likelihoods}
	return request{Contents: contentsOf(analysisPrompt, c), GenerationConfig: &generationConfig{
		MaxOutputTokens:  maxAnalysis,
		ResponseMIMEType: "application/json",
		ResponseSchema: &schema{
			Type: "OBJECT", Required: []string{"labels", "description", "safeSearch"},
			Properties: map[string]*schema{
				"description": {Type: "STRING"},
				"labels": {Type: "ARRAY", Items: &schema{
					Type: "OBJECT", Required: []string{"name", "confidence"},
					Properties: map[string]*schema{"name": {Type: "STRING"}, "confidence": {Type: "NUMBER"}},
				}},
				"safeSearch": {
					Type: "OBJECT", Required: []string{"adult", "violence"},
					Properties: map[string]*schema{"adult": likelihood, "violence": likelihood},
				},
			},
		},
	}}
}
