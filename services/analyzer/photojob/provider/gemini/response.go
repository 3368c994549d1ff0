package gemini

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"

	"github.com/assay-project/assay/services/analyzer/photojob/provider"
	"github.com/assay-project/assay/services/analyzer/photojob/provider/remote"
)

// response contains the fields of a response that are used.
type response struct {
	Candidates []struct {
		Content struct {
			Parts []struct {
				Text       string
				Thought    bool
				InlineData *struct{ Data string }
			}
		}
		FinishReason  string
		SafetyRatings []rating
	}
	PromptFeedback struct{ BlockReason string }
	ResponseID     string

	from remote.Response
}

type rating struct {
	Category, Probability string
	Blocked               bool
}

// refusals lists the finish reasons of rejected content. Other reasons may be temporary.
var refusals = []string{
	"SAFETY", "IMAGE_SAFETY", "PROHIBITED_CONTENT", "IMAGE_PROHIBITED_CONTENT", "BLOCKLIST", "SPII", "RECITATION", "IMAGE_RECITATION",
}

// blocked returns an error if the content was rejected.
func (r *response) blocked() error {
	if reason := r.PromptFeedback.BlockReason; reason != "" {
		return remote.Blocked(r.from, provider.IsBilled, reason)
	}
	if len(r.Candidates) == 0 {
		return remote.Bad(r.from, "it has no candidates")
	}
	if reason := r.Candidates[0].FinishReason; slices.Contains(refusals, reason) {
		return remote.Blocked(r.from, provider.IsBilled, reason)
	}
	return nil
}

// picture returns the first picture of the response.
func (r *response) picture() ([]byte, error) {
	first := r.Candidates[0]
	for _, p := range first.Content.Parts {
		if p.InlineData == nil || p.Thought {
			continue
		}
		data, err := base64.StdEncoding.DecodeString(p.InlineData.Data)
		if err != nil {
			return nil, remote.Bad(r.from, "its picture is not valid base64: %w", err)
		}
		return data, nil
	}
	return nil, remote.Bad(r.from, "it has no picture (%.40q)", first.FinishReason)
}

const (
	maxLabels      = 50
	maxName        = 100   // characters
	maxDescription = 4_000 // characters
)

var likelihoods = []string{"VERY_UNLIKELY", "UNLIKELY", "POSSIBLE", "LIKELY", "VERY_LIKELY"}

// analysis parses the description. It drops invalid labels.
func (r *response) analysis() (provider.Analysis, error) {
	var text strings.Builder
	for _, p := range r.Candidates[0].Content.Parts {
		if !p.Thought {
			text.WriteString(p.Text)
		}
	}
	var parsed struct {
		Description string
		Labels      []provider.Label
		SafeSearch  *provider.SafeSearch
	}
	if err := json.Unmarshal([]byte(text.String()), &parsed); err != nil {
		return provider.Analysis{}, remote.Bad(r.from, "its description is not the requested JSON: %w", err)
	}
	found := provider.Analysis{Description: cut(parsed.Description, maxDescription), SafeSearch: r.safeSearch(parsed.SafeSearch)}
	for _, label := range parsed.Labels {
		if label.Name == "" || !(label.Confidence >= 0 && label.Confidence <= 1) || len(found.Labels) == maxLabels {
			continue
		}
		found.Labels = append(found.Labels, provider.Label{Name: cut(label.Name, maxName), Confidence: label.Confidence})
	}
	return found, nil
}

// safeSearch returns the model's rating, raised to that of the API's filters for adult content. It
// returns nil if the model's rating is invalid.
func (r *response) safeSearch(own *provider.SafeSearch) *provider.SafeSearch {
	if own == nil {
		return nil
	}
	adult, violence := slices.Index(likelihoods, own.Adult), slices.Index(likelihoods, own.Violence)
	if adult < 0 || violence < 0 {
		return nil
	}
	for _, safety := range r.Candidates[0].SafetyRatings {
		if safety.Category == "HARM_CATEGORY_SEXUALLY_EXPLICIT" {
			rated := slices.Index([]string{"NEGLIGIBLE", "LOW", "MEDIUM", "HIGH"}, safety.Probability)
			if safety.Blocked {
				rated = len(likelihoods) - 1
			}
			adult = max(adult, rated)
		}
	}
	return &provider.SafeSearch{Adult: likelihoods[adult], Violence: likelihoods[violence]}
}

func cut(text string, characters int) string {
	runes := []rune(strings.ToValidUTF8(text, ""))
	return string(runes[:min(len(runes), characters)])
}
