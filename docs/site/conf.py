"""Settings of Sphinx for the documentation site; make_site.py gives the paths in its environment.
SPDX-License-Identifier: Apache-2.0"""
import json
import os
import sys

sys.path.insert(0, os.environ["SEGUE_SITE_PYTHON"])
project = "Segue"
author = "The Segue maintainers"
copyright = author  # pylint: disable=redefined-builtin
version = release = os.environ["SEGUE_SITE_VERSION"]
extensions = ["myst_parser", "breathe", "sphinx.ext.autodoc"]
myst_heading_anchors = 4
myst_enable_extensions = ["html_image"]  # <img> with a width
smartquotes = False  # options begin with two dashes
nitpicky = False  # the comments of C do not mark their references
breathe_projects = {"segue": os.environ["SEGUE_SITE_XML"]}
breathe_default_project = "segue"
breathe_domain_by_extension = {"h": "c"}
breathe_show_include = False
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
html_theme = "furo"
templates_path = ["templates"]
# The theme's menu, and below it what are no pages of Sphinx: report and playground, if they were made.
html_context = {"made_apart": json.loads(os.environ["SEGUE_SITE_APART"])}
html_sidebars = {"**": [*(f"sidebar/{part}.html" for part in ("brand", "search", "scroll-start", "navigation")),
                        *(["apart.html"] if html_context["made_apart"] else []), "sidebar/scroll-end.html"]}
html_title = f"Segue {version}"
html_static_path = [os.environ["SEGUE_SITE_STATIC"]]
html_css_files = ["site.css"]
html_favicon = html_logo = os.path.join(os.environ["SEGUE_SITE_STATIC"], "icon.svg")
html_show_search_summary = False  # it fetches pages, which a browser refuses in files
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
