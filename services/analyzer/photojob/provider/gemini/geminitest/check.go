package geminitest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/assay-project/assay/pkg/extract/pixels"
)

// maxRequest is the maximum size of a request to the API.
const maxRequest = 20 << 20

func read(r *http.Request) ([]byte, error) {
	if r.Header.Get("Content-Type") != "application/json" {
		return nil, fmt.Errorf("unexpected content type %q", r.Header.Get("Content-Type"))
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxRequest+1))
	if err == nil && len(body) > maxRequest {
		err = errors.New("request payload size exceeds the limit: 20971520 bytes")
	}
	return body, err
}

// request contains all accepted fields, in any order.
type request struct {
	Contents []struct {
		Role  string `json:"role"`
		Parts []struct {
			Text       string `json:"text"`
			InlineData *struct {
				MIMEType string `json:"mimeType"`
				Data     string `json:"data"`
			} `json:"inlineData"`
		} `json:"parts"`
	} `json:"contents"`
	GenerationConfig struct {
		Temperature        *float64        `json:"temperature"`
		Seed               *int32          `json:"seed"`
		MaxOutputTokens    int             `json:"maxOutputTokens"`
		ResponseModalities []string        `json:"responseModalities"`
		ResponseMIMEType   string          `json:"responseMimeType"`
		ResponseSchema     json.RawMessage `json:"responseSchema"`
		ImageConfig        struct {
			AspectRatio string `json:"aspectRatio"`
			ImageSize   string `json:"imageSize"`
		} `json:"imageConfig"`
	} `json:"generationConfig"`
	SafetySettings []struct {
		Category  string `json:"category"`
		Threshold string `json:"threshold"`
	} `json:"safetySettings"`
}

// check rejects requests that the API rejects, and requests that are obviously wrong.
func check(body []byte, edit bool) error {
	var in request
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&in); err != nil {
		return fmt.Errorf("invalid JSON payload received: %w", err)
	}
	texts, pictures := 0, 0
	for _, content := range in.Contents {
		if content.Role != "user" {
			return fmt.Errorf("unexpected role %q", content.Role)
		}
		for _, part := range content.Parts {
			if part.InlineData == nil {
				texts++
				if strings.TrimSpace(part.Text) == "" {
					return errors.New("a part has no data")
				}
				continue
			}
			pictures++
			data, err := base64.StdEncoding.DecodeString(part.InlineData.Data)
			if err != nil {
				return fmt.Errorf("inlineData: %w", err)
			}
			if sniffed := pixels.Sniff(data); sniffed == "" || sniffed.MediaType() != part.InlineData.MIMEType {
				return fmt.Errorf("unable to process input image: %q is %q", part.InlineData.MIMEType, sniffed)
			}
			if _, err := pixels.Inspect(data, pixels.Default); err != nil {
				return fmt.Errorf("unable to process input image: %w", err)
			}
		}
	}
	if texts == 0 || pictures != 1 {
		return fmt.Errorf("got %d texts and %d pictures, want text and one picture", texts, pictures)
	}
	cfg := in.GenerationConfig
	ratios := []string{"", "1:1", "2:3", "3:2", "3:4", "4:3", "9:16", "16:9", "21:9"}
	switch {
	case !slices.Contains(ratios, cfg.ImageConfig.AspectRatio):
		return fmt.Errorf("unsupported aspectRatio %q", cfg.ImageConfig.AspectRatio)
	case edit && !slices.Contains(cfg.ResponseModalities, "IMAGE"):
		return errors.New("a request to an image model must request images")
	case !edit && (cfg.ResponseMIMEType != "application/json" || len(cfg.ResponseSchema) == 0):
		return errors.New("a request for a description must have a schema")
	case !edit && cfg.MaxOutputTokens == 0:
		return errors.New("a request for a description must limit the output tokens")
	}
	return nil
}
