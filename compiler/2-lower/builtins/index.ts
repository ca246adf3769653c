/** Fills the registry: every file here defines its operations when it is loaded. */
import './program';
import './shape';
import './math';
import './libdevice';
import './memory';
import './reduce';
import './dot';
import './hints';
import './blocks';
