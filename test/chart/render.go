// Renders a chart as `helm template` does: Go's text/template with sprig and the functions that Helm adds to it. The values of each
// file are laid over those of the chart, in their order. A value that is not there is an error here; Helm writes nothing for it.
//
//	go run render.go CHART RELEASE [VALUES …]
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"sigs.k8s.io/yaml"
)

func main() {
	if err := render(os.Args[1], os.Args[2], os.Args[3:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func render(chart, release string, overlays []string) error {
	values := map[string]interface{}{}
	for _, file := range append([]string{filepath.Join(chart, "values.yaml")}, overlays...) {
		more, err := read(file)
		if err != nil {
			return err
		}
		overlay(values, more)
	}
	facts, err := read(filepath.Join(chart, "Chart.yaml"))
	if err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(chart, "templates", "*"))
	if err != nil {
		return err
	}
	root := template.New("").Option("missingkey=error")
	root.Funcs(functions(root))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if _, err := root.New(filepath.Base(file)).Parse(string(text)); err != nil {
			return err
		}
	}
	given := map[string]interface{}{
		"Values":  values,
		"Chart":   map[string]interface{}{"Name": facts["name"], "Version": facts["version"], "AppVersion": facts["appVersion"]},
		"Release": map[string]interface{}{"Name": release, "Namespace": "default", "Service": "Helm", "IsInstall": true, "IsUpgrade": false, "Revision": 1},
	}
	for _, file := range files {
		name := filepath.Base(file)
		if strings.HasPrefix(name, "_") {
			continue
		}
		var out bytes.Buffer
		if err := root.ExecuteTemplate(&out, name, given); err != nil {
			return err
		}
		fmt.Printf("---\n# Source: %s\n%s\n", name, out.String())
	}
	return nil
}

func read(file string) (map[string]interface{}, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	content := map[string]interface{}{}
	if err := yaml.UnmarshalStrict(text, &content); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return content, nil
}

// Maps are laid over maps; null takes a value away, as in Helm.
func overlay(values, more map[string]interface{}) {
	for name, value := range more {
		below, isMap := values[name].(map[string]interface{})
		above, bothMaps := value.(map[string]interface{})
		switch {
		case value == nil:
			delete(values, name)
		case isMap && bothMaps:
			overlay(below, above)
		default:
			values[name] = value
		}
	}
}

func functions(root *template.Template) template.FuncMap {
	all := sprig.TxtFuncMap()
	delete(all, "env")
	delete(all, "expandenv")
	all["include"] = func(name string, data interface{}) (string, error) {
		var out bytes.Buffer
		err := root.ExecuteTemplate(&out, name, data)
		return out.String(), err
	}
	all["toYaml"] = func(value interface{}) (string, error) {
		text, err := yaml.Marshal(value)
		return strings.TrimSuffix(string(text), "\n"), err
	}
	all["required"] = func(message string, value interface{}) (interface{}, error) {
		if value == nil || value == "" {
			return nil, fmt.Errorf("%s", message)
		}
		return value, nil
	}
	all["tpl"] = func(text string, data interface{}) (string, error) {
		one, err := template.Must(root.Clone()).New("tpl").Parse(text)
		if err != nil {
			return "", err
		}
		var out bytes.Buffer
		err = one.Execute(&out, data)
		return out.String(), err
	}
	return all
}
