{{- define "assay.fullname" -}}
{{- .Values.fullnameOverride | default .Release.Name | trunc 45 | trimSuffix "-" }}
{{- end }}

{{- /* assay.programs are the programs of the mode with their ports, as YAML. */}}
{{- define "assay.programs" -}}
{{- if eq .Values.mode "single" -}}
serve: {image: assay-serve, args: [serve], http: 8080, operator: 8087}
{{- else -}}
ingest: {image: ingest, http: 8081, operator: 8084}
analyzer: {image: analyzer, http: 8082, operator: 8086}
query: {image: query, http: 8083, operator: 8085}
gateway: {image: assay, args: [gateway], http: 8080, operator: 8087}
{{- end }}
{{- end }}

{{- /* assay.front is the program that serves clients. */}}
{{- define "assay.front" -}}
{{- eq .Values.mode "single" | ternary "serve" "gateway" }}
{{- end }}

{{- /* assay.frontService is the name of the Service for clients. */}}
{{- define "assay.frontService" -}}
{{- include "assay.fullname" . }}{{ eq .Values.mode "single" | ternary "" "-gateway" }}
{{- end }}

{{- /* assay.selector selects the Pods of a program: (dict "root" $ "program" "ingest"). */}}
{{- define "assay.selector" -}}
app.kubernetes.io/name: assay
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .program }}
{{- end }}

{{- define "assay.labels" -}}
{{ include "assay.selector" . }}
app.kubernetes.io/part-of: assay
app.kubernetes.io/version: {{ .root.Values.image.tag | default .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- end }}

{{- /* assay.metadata is the name and the labels of an object of a program. */}}
{{- define "assay.metadata" -}}
name: {{ include "assay.fullname" .root }}-{{ .program }}
labels:
  {{- include "assay.labels" . | nindent 2 }}
{{- end }}

{{- /* assay.image: (dict "root" $ "program" "setup" "image" "assay"). */}}
{{- define "assay.image" -}}
{{- $image := .root.Values.image -}}
{{- (index .root.Values .program).image | default (printf "%s/%s:%s" $image.registry .image ($image.tag | default .root.Chart.AppVersion)) }}
{{- end }}

{{- define "assay.serviceAccount" -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  {{- include "assay.metadata" . | nindent 2 }}
  {{- with merge (get . "annotations" | default dict) (index .root.Values .program).serviceAccount.annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
automountServiceAccountToken: false
{{- end }}

{{- define "assay.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
fsGroupChangePolicy: OnRootMismatch
seccompProfile: {type: RuntimeDefault}
{{- end }}

{{- define "assay.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end }}

{{- /* assay.podSpec is what the Pods of all programs share. */}}
{{- define "assay.podSpec" -}}
{{- $values := index .root.Values .program -}}
# Kubernetes would set ASSAY_... variables for a Service whose name begins with assay.
enableServiceLinks: false
automountServiceAccountToken: false
serviceAccountName: {{ include "assay.fullname" .root }}-{{ .program }}
securityContext:
  {{- include "assay.podSecurity" . | nindent 2 }}
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- range $key := list "nodeSelector" "tolerations" "affinity" }}
{{- with index $values $key }}
{{ $key }}:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
{{- end }}
