# SPDX-License-Identifier: Apache-2.0
"""The app's half of a Smarter AI camera's onboarding, from the published facts alone."""
